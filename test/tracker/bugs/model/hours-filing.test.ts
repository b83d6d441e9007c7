import { beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { get, post } from '../../../support/client.ts'
import { readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'

type Body = Record<string, unknown>

let bug: number

const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reporter = await insertPerson()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(tracker, place)
  await updateBugRow(bug, { estimated_time: 8, remaining_time: 5 })
})

describe('POST /bug with hours and a deadline', () => {
  test.each<[Body, Body]>([
    [{}, { deadline: null, estimated_time: 0, remaining_time: 0 }],
    [{ deadline: '2027-1-2' }, { deadline: '2027-01-02' }],
    [{ estimated_time: '4.5' }, { estimated_time: 4.5, remaining_time: 4.5 }],
    [
      { estimated_time: 4, remaining_time: 1 },
      { estimated_time: 4, remaining_time: 1 },
    ],
    [
      { estimated_time: 4, remaining_time: 0 },
      { estimated_time: 4, remaining_time: 0 },
    ],
    [
      { estimated_time: 4, remaining_time: null },
      { estimated_time: 4, remaining_time: 4 },
    ],
    [
      { deadline: null, estimated_time: '' },
      { deadline: null, estimated_time: 0 },
    ],
  ])('stores %j as %j', async (body, expected) => {
    const id = await postBug(tracker, place, body)
    expect(await readWholeBug(tracker, id)).toMatchObject(expected)
    expect(await loadRowsOfBug('history', id)).toEqual([])
  })

  test('ignores hours and the deadline of people who do not track time, even when they are malformed', async () => {
    const body = { deadline: 'soon', estimated_time: 'x', remaining_time: 3 }
    const id = await postBug(reporter, place, body)
    const read = await get(tracker, `/rest/bug/${id}`)
    expect(read.body.bugs[0]).toMatchObject({
      deadline: null,
      estimated_time: 0,
      remaining_time: 0,
    })
  })

  test.each<{ body: Body; code: number }>([
    { body: { deadline: '2027' }, code: 56 },
    { body: { estimated_time: 'x' }, code: 52 },
    { body: { estimated_time: 100_000 }, code: 54 },
    { body: { remaining_time: -1 }, code: 55 },
  ])('rejects $body with $code', async ({ body, code }) => {
    const refused = () => post(tracker, '/rest/bug', buildBugBody(place, body))
    await expectRefusal(refused, code, Object.keys(body)[0])
  })
})
