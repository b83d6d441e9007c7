import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../src/bugs/custom-fields/present.ts'
import { copyBug, insertBugs } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { put } from '../../support/client.ts'
import { readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { execute } from '../../support/database/execute.ts'

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

test('all lists of a hundred bugs are edited in two trips', async () => {
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

test('what is read does not grow with the bugs that others have', async () => {
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
  'more than a thousand items of %s are refused',
  async (field) => {
    const { ids } = await insertBugs(editor, 1)
    const items = Array.from({ length: 1001 }, (_, i) => `x${i}`)
    for (const edit of [{ add: items }, { remove: items.slice(1), set: ['x'] }]) {
      const refused = () => put(editor, `/rest/bug/${ids[0]}`, { [field]: edit, comment: 'x' })
      await expectRefusal(refused, 400, 53, `'${field}'`)
    }
  },
)
