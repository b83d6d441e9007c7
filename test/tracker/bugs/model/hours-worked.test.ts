import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { get, post } from '../../../support/client.ts'
import { changeBug, readBug } from '../../../support/clients/bugs.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

type Body = Record<string, unknown>

let bug: number

const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reporter = await insertPerson()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(tracker, place)
  await updateBugRow(bug, { estimated_time: 8, remaining_time: 5 })
})

describe('work time on a private comment', () => {
  test('is hidden from people who are no insiders, in the history as in mails', async () => {
    const both = await insertPerson({ roles: ['editbugs', 'timetracking', 'insider'] })
    const comment = { body: 'Hush.', is_private: true }
    await changeBug(both, bug, { comment, work_time: 2 })
    const [work] = (await loadRowsOfBug('history', bug)).filter(
      ({ field }) => field === 'work_time',
    )
    expect(work?.comment_id).toBe((await loadRowsOfBug('comments', bug)).at(-1)?.id)
    const path = `/rest/bug/${bug}/history`
    const fieldsFor = async (sender: TestPerson) =>
      (await get(sender, path)).body.bugs[0].history.flatMap((entry: { changes: Body[] }) =>
        entry.changes.map(({ field_name }) => field_name),
      )
    expect(await fieldsFor(both)).toEqual(['work_time', 'remaining_time'])
    expect(await fieldsFor(tracker)).toEqual(['remaining_time'])
  })
})

describe('the actual time of a bug', () => {
  test('is read without reading comments', async () => {
    const id = await postBug(reporter, place)
    const cost = async () => (await get(tracker, `/rest/bug/${id}?include_fields=actual_time`)).cost
    const before = await cost()
    for (const work_time of [0.1, 0.2, 1, -0.3]) {
      await post(tracker, `/rest/bug/${id}/comment`, { comment: 'worked', work_time })
    }

    expect(await readBug(id, tracker, '?include_fields=actual_time')).toEqual({ actual_time: 1 })
    expect((await cost()).read).toBe(before.read)
  })

  test('follows comments that change, become private and are deleted', async () => {
    const id = await postBug(reporter, place)
    const both = await insertPerson({ roles: ['insider', 'timetracking'] })
    for (const work_time of [1.5, 2.25]) {
      await post(tracker, `/rest/bug/${id}/comment`, { comment: 'worked', work_time })
    }
    await execute(sql`DELETE FROM history WHERE bug_id = ${id}`)
    const last = sql`bug_id = ${id} AND number = 2`
    const steps = [
      [sql`UPDATE comments SET body = 'x' WHERE ${last}`, 3.75, 3.75],
      [sql`UPDATE comments SET is_private = 1 WHERE ${last}`, 3.75, 1.5],
      [sql`UPDATE comments SET work_time = 4 WHERE ${last}`, 5.5, 1.5],
      [sql`UPDATE comments SET is_private = 0, work_time = 0.1 WHERE ${last}`, 1.6, 1.6],
      [sql`UPDATE comments SET is_private = 1, work_time = 2 WHERE bug_id = ${id}`, 6, 0],
      [sql`DELETE FROM comments WHERE ${last}`, 4, 0],
    ] as const
    for (const [step, all, open] of steps) {
      await execute(step)
      const query = '?include_fields=actual_time'
      expect([await readBug(id, both, query), await readBug(id, tracker, query)]).toEqual([
        { actual_time: all },
        { actual_time: open },
      ])
    }
  })
})
