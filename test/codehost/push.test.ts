import { beforeAll, describe, expect, test } from 'vitest'
import { insertBug } from '../support/builders/bugs.ts'
import { buildPush } from '../support/builders/codehost-events.ts'
import type { TestPerson } from '../support/builders/types.ts'
import { applyWaitingPushes, insertBot, newDelivery, sendEvent } from '../support/codehost.ts'
import { loadBugRow, loadRowsOfBug } from '../support/database/bugs.ts'

let bot: TestPerson

beforeAll(async () => {
  bot = await insertBot()
})

describe('a push', () => {
  test('answers', async () => {
    const bug = await insertBug()
    const answer = await sendEvent(
      bot,
      'push_comment',
      buildPush([`Bug ${bug.id} - Fix it\n\nMore.`]),
      {
        headers: newDelivery(),
      },
    )
    expect(answer).toMatchObject({ status: 200, body: {} })
    console.log(answer.body, answer.trips)
    console.log(await applyWaitingPushes(bug.id))
    console.log(await loadRowsOfBug('comments', bug.id), await loadBugRow(bug.id))
  })
})
