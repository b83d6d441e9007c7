import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let place: TestProduct
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup

beforeAll(async () => {
  reporter = await insertPerson()
  stranger = await insertPerson()
  team = await insertGroup()
  place = await insertProduct()
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
  const rows = await execute(sql`SELECT id FROM comments WHERE number = 0
    AND bug_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
  return rows.map(({ id }) => [String(id), true])
}

describe('an update of everything costs', () => {
  test('three trips, for a hundred bugs too', async () => {
    const all = await insertPerson({
      roles: ['editbugs', 'timetracking', 'insider'],
      groups: [team],
    })
    const shown = { group: team, memberControl: 1, otherControl: 0 }
    const goal = await insertProduct({ controls: [shown] })
    const ids = await Promise.all(Array.from({ length: 100 }, () => postBug(reporter, place)))
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
    const all = await insertPerson({
      roles: ['editbugs', 'timetracking', 'insider'],
      groups: [team],
    })
    const shown = { group: team, memberControl: 1, otherControl: 0 }
    const [start, goal] = [await insertProduct(), await insertProduct({ controls: [shown] })]
    const original = await postBug(reporter, place)
    const cost = async () => {
      const id = await postBug(reporter, start)
      const answer = await put(all, `/rest/bug/${id}`, {
        ...everythingFor(goal),
        status: undefined,
        dupe_of: original,
        groups: { add: [team.name] },
        comment_is_private: Object.fromEntries(await firstComments([id])),
      })
      expect(answer.status, answer.text).toBe(200)
      await changeBug(all, id, { resolution: 'INVALID' })
      return answer.cost.read
    }
    const before = await cost()
    for (const home of [start, goal, place]) {
      await Promise.all(Array.from({ length: 30 }, () => postBug(reporter, home)))
    }
    // the lists of comments, CC and history of the original have grown, of which a few rows are read
    expect(await cost()).toBeLessThanOrEqual(before + 10)
  })
})
