import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { get, post } from '../../support/client.ts'
import { readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'

type Body = Record<string, unknown>

let place: TestProduct
let tracker: TestPerson
let reporter: TestPerson
let bug: number

beforeAll(async () => {
  tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  reporter = await insertPerson()
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(tracker, place)
  await updateBugRow(bug, { estimated_time: 8, remaining_time: 5 })
})

describe('filing with hours and a deadline', () => {
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
  ])('%j', async (body, expected) => {
    const id = await postBug(tracker, place, body)
    expect(await readWholeBug(tracker, id)).toMatchObject(expected)
    expect(await loadRowsOfBug('history', id)).toEqual([])
  })

  test('counts for nothing from who does not track time, and is not even looked at', async () => {
    const body = { deadline: 'soon', estimated_time: 'x', remaining_time: 3 }
    const id = await postBug(reporter, place, body)
    const read = await get(tracker, `/rest/bug/${id}`)
    expect(read.body.bugs[0]).toMatchObject({
      deadline: null,
      estimated_time: 0,
      remaining_time: 0,
    })
  })

  test.each<[Body, number]>([
    [{ deadline: '2027' }, 56],
    [{ estimated_time: 'x' }, 52],
    [{ estimated_time: 100_000 }, 54],
    [{ remaining_time: -1 }, 55],
  ])('refuses %j', async (body, code) => {
    const refused = () => post(tracker, '/rest/bug', buildBugBody(place, body))
    await expectRefusal(refused, 400, code, Object.keys(body)[0])
  })
})
