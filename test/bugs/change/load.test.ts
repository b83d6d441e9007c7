import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { put } from '../../support/client.ts'
import { changesOf } from '../../support/filing.ts'
import { write } from '../../support/happening.ts'
import { filed } from '../../support/reading.ts'
import {
  group,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
} from '../../support/world.ts'

let place: TestProduct
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup

beforeAll(async () => {
  reporter = await person()
  stranger = await person()
  team = await group()
  place = await product()
})

/** A change of nearly every field, with a move to another product. */
const everythingFor = (goal: TestProduct) => ({
  product: goal.name,
  component: goal.component,
  version: '1.0',
  status: 'IN_PROGRESS',
  whiteboard: '[all]',
  deadline: '2027-01-01',
  estimated_time: 10,
  remaining_time: 8,
  work_time: 2,
  comment: 'All of them.',
  cc: { add: [stranger.login] },
  assigned_to: reporter.login,
})

/** The descriptions of bugs, each to be private. */
async function firstComments(ids: number[]): Promise<[string, boolean][]> {
  const rows = await write(sql`SELECT id FROM comments WHERE number = 0
    AND bug_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
  return rows.map(({ id }) => [String(id), true])
}

describe('an update of everything costs', () => {
  test('three trips, for a hundred bugs too', async () => {
    const all = await person({ roles: ['editbugs', 'timetracking', 'insider'], groups: [team] })
    const shown = { group: team, memberControl: 1, otherControl: 0 }
    const goal = await product({ controls: [shown] })
    const ids = await Promise.all(Array.from({ length: 100 }, () => filed(reporter, place)))
    const answer = await put(all, `/rest/bug/${ids[0]}`, {
      ids,
      ...everythingFor(goal),
      groups: { add: [team.name] },
      comment_is_private: Object.fromEntries(await firstComments(ids)),
    })
    expect(answer, answer.text.slice(0, 200)).toMatchObject({ status: 200, cost: { trips: 3 } })
    const changes = answer.body.bugs.map((one: { changes: object }) => Object.keys(one.changes))
    expect(new Set(changes.map((fields: string[]) => fields.sort().join()))).toEqual(
      new Set([
        'assigned_to,cc,component,deadline,estimated_time,groups,is_confirmed,product,remaining_time,status,version,whiteboard',
      ]),
    )
    expect(answer.cost.read).toBeLessThan(100 * 400)
  })

  test('no rows more the more bugs there are', async () => {
    const all = await person({ roles: ['editbugs', 'timetracking', 'insider'], groups: [team] })
    const shown = { group: team, memberControl: 1, otherControl: 0 }
    const [start, goal] = [await product(), await product({ controls: [shown] })]
    const original = await filed(reporter, place)
    const cost = async () => {
      const id = await filed(reporter, start)
      const answer = await put(all, `/rest/bug/${id}`, {
        ...everythingFor(goal),
        status: undefined,
        dupe_of: original,
        groups: { add: [team.name] },
        comment_is_private: Object.fromEntries(await firstComments([id])),
      })
      expect(answer.status, answer.text).toBe(200)
      await changesOf(all, id, { resolution: 'INVALID' })
      return answer.cost.read
    }
    const before = await cost()
    for (const home of [start, goal, place]) {
      await Promise.all(Array.from({ length: 30 }, () => filed(reporter, home)))
    }
    // the lists of comments, CC and history of the original have grown, of which a few rows are read
    expect(await cost()).toBeLessThanOrEqual(before + 10)
  })
})
