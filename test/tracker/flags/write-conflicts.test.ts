import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { WriteConflict } from '../../../src/platform/db/commit.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBugForFlags, insertFlagType } from '../../support/builders/flags.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import type { TestBug } from '../../support/builders/types.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { summarizeFlags } from '../../support/database/flags.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

const ann = await insertPerson()
const bob = await insertPerson()
const review = await insertFlagType()
const paper = await insertFlagType({ target: 'attachment' })
const set = (status: string) => [{ name: review.name, status }]

describe('a commit conflicts when meanwhile', () => {
  const racing = async (one: TestBug, happens: () => Promise<unknown>, over = {}) => {
    const attempt = setFlags(ann, one.id, {
      inputs: [{ name: review.name, status: '-', new: true }],
      session: openInterruptedSession(2, happens),
      ...over,
    })
    await expect(attempt).rejects.toBeInstanceOf(WriteConflict)
  }

  test('a flag has come, changed or gone', async () => {
    const one = await insertBugForFlags()
    await racing(one, () => setFlags(bob, one.id, { inputs: set('+') }))
    await racing(one, () => setFlags(bob, one.id, { inputs: set('-') }))
    await racing(one, () => setFlags(bob, one.id, { inputs: set('X') }))
    expect(await summarizeFlags(one.id)).toEqual([])
    const written = (await loadRowsOfBug('history', one.id)).filter(
      ({ author_id }) => author_id === ann.id,
    )
    expect(written).toEqual([])
  })

  test('the type has changed', async () => {
    const one = await insertBugForFlags()
    await racing(one, () =>
      execute(sql`UPDATE flag_types SET revision = revision + 1 WHERE id = ${review.id}`),
    )
  })

  test('the bug has moved', async () => {
    const [one, there] = [await insertBugForFlags(), await insertProduct()]
    await racing(one, () =>
      execute(sql`UPDATE bugs SET product_id = ${there.id} WHERE id = ${one.id}`),
    )
  })

  test('attachments of the bug have got as many flags as it may have', async () => {
    const one = await insertBugForFlags()
    const id = await insertAttachment(one, ann, { summary: 'paper' })
    await racing(one, () =>
      execute(sql`INSERT INTO flags (type_id, bug_id, attachment_id, status, setter_id, created_at, modified_at)
        SELECT ${paper.id}, ${one.id}, ${id}, '+', ${ann.id}, 0, 0 FROM json_each(${JSON.stringify([...Array(500).keys()])})`),
    )
  })

  test('but not when flags of other things have', async () => {
    const [one, two] = [await insertBugForFlags(), await insertBugForFlags()]
    const id = await insertAttachment(one, ann, { summary: 'paper' })
    const happens = async () => {
      await setFlags(bob, two.id, { inputs: set('+') })
      await setFlags(bob, one.id, {
        inputs: [{ name: paper.name, status: '+' }],
        attachment: { id, isPrivate: false },
      })
    }
    await setFlags(ann, one.id, { inputs: set('-'), session: openInterruptedSession(2, happens) })
    expect(await summarizeFlags(one.id)).toEqual([`${paper.name}+`, `${review.name}-`])
  })
})
