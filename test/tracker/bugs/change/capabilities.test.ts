import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { CAPABILITIES } from '../../../../src/tracker/bugs/change/capabilities.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { mergeUnique } from '../../../../src/tracker/bugs/model/capability.ts'
import { copyBug, insertBugs, postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

describe('the capabilities of PUT /bug', () => {
  test('assign each parameter of an update to exactly one capability', () => {
    const parameters = CAPABILITIES.flatMap(({ input }) => Object.keys(input))
    expect(new Set(parameters).size).toBe(parameters.length)
    const own = ['id_or_alias', 'ids', 'minor_update']
    expect(Object.keys(changeBugInput.shape)).toEqual(
      expect.arrayContaining([...own, ...parameters]),
    )
  })

  test('throw when two capabilities use one name', () => {
    expect(() => mergeUnique([{ a: 1 }, { b: 2 }, { a: 3 }])).toThrow("'a'")
  })
})

describe('PUT /bug with every list field', () => {
  let editor: TestPerson
  let word: string
  let text: { name: string }
  let choice: { name: string }
  let link: { name: string }

  beforeAll(async () => {
    editor = await insertPerson({ roles: ['editbugs'] })
    word = uniqueName('kw')
    text = await insertCustomField(FIELD_TYPE.largeText)
    choice = await insertCustomField(FIELD_TYPE.multi, { values: ['Blue'] })
    link = await insertCustomField(FIELD_TYPE.bugId)
    await execute(
      sql`INSERT INTO keywords (name, name_fold, description) VALUES (${word}, ${word}, '')`,
    )
  })

  /** Every list at once. */
  function everything(before: number, after: number) {
    return {
      keywords: { set: [word] },
      depends_on: { add: [before] },
      blocks: { add: [after] },
      regressed_by: { set: [before] },
      regressions: { set: [after] },
      see_also: { add: [before, 'https://a.test/'] },
      cc: { add: [editor.login] },
      tags: { set: [word] },
      [text.name]: 'some text',
      [choice.name]: ['Blue'],
      [link.name]: before,
    }
  }

  test('edits the lists of a hundred bugs in two round trips', async () => {
    const { ids } = await insertBugs(editor, 100)
    const [before = 0, after = 0] = await copyBug(ids[0] ?? 0, 2)
    const body = { ids: ids.slice(1), comment: 'All.', ...everything(before, after) }
    const answer = await put(editor, `/rest/bug/${ids[0]}`, body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.cost.trips).toBe(2)
    expect(answer.cost.statements).toBeLessThan(60)
    const changed = new Set(
      answer.body.bugs.map((bug: { changes: object }) => JSON.stringify(bug.changes)),
    )
    const lists = [
      'blocks',
      'cc',
      'depends_on',
      'keywords',
      'regressed_by',
      'regressions',
      'see_also',
      'tags',
    ]
    expect([...changed].map((changes) => Object.keys(JSON.parse(String(changes))).sort())).toEqual([
      [...lists, choice.name, link.name, text.name].sort(),
    ])
    expect((await readWholeBug(editor, before)).blocks).toEqual(ids)
    const again = await put(editor, `/rest/bug/${ids[0]}`, { ...body, comment: '' })
    expect(again.body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual(
      ids.map(() => ({})),
    )
  })

  test('reads no more rows when other products have more bugs', async () => {
    const cost = async () => {
      const { ids } = await insertBugs(editor, 3)
      const [before = 0, after = 0] = await copyBug(ids[0] ?? 0, 2)
      const body = { ids: ids.slice(1), ...everything(before, after) }
      const answer = await put(editor, `/rest/bug/${ids[0]}`, body)
      expect(answer.status, answer.text).toBe(200)
      return answer.cost.read
    }
    const first = await cost()
    const { ids } = await insertBugs(editor, 300)
    const [before = 0, after = 0] = await copyBug(ids[0] ?? 0, 2)
    await put(editor, `/rest/bug/${ids[0]}`, { ids: ids.slice(1), ...everything(before, after) })
    expect(await cost()).toBeLessThan(first * 1.2 + 50)
  })

  test.each(['cc', 'groups', 'keywords', 'blocks'])(
    'rejects more than a thousand items of %s with 53',
    async (field) => {
      const { ids } = await insertBugs(editor, 1)
      const items = Array.from({ length: 1001 }, (_, i) => `x${i}`)
      for (const edit of [{ add: items }, { remove: items.slice(1), set: ['x'] }]) {
        const refused = () => put(editor, `/rest/bug/${ids[0]}`, { [field]: edit, comment: 'x' })
        await expectRefusal(refused, 53, `'${field}'`)
      }
    },
  )
})

describe('PUT /bug with nearly every field', () => {
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

  test('changes a hundred bugs in three round trips', async () => {
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

  test('reads hardly more rows when there are more bugs', async () => {
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
