import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../src/db/schema/fields.ts'
import { buildBugBody, copyBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { post, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { summarizeFieldHistory } from '../../support/database/history.ts'

type Field = { id: number; name: string }
type Type = keyof typeof FIELD_TYPE

const CHOICES = ['Blue', 'Red', 'Sky, high']

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup
let insider: TestPerson
let field: Record<Type, Field>
let bug: number
let other: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  stranger = await insertPerson()
  insider = await insertPerson({ roles: ['editbugs'] })
  team = await insertGroup([insider])
  place = await insertProduct()
  const made = await Promise.all(
    (Object.keys(FIELD_TYPE) as Type[]).map(async (type) => {
      const values = type === 'single' || type === 'multi' ? CHOICES : []
      return [type, await insertCustomField(FIELD_TYPE[type], { values })] as const
    }),
  )
  field = Object.fromEntries(made) as Record<Type, Field>
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[other = 0] = await copyBug(bug, 1)
})

const custom = async (of: Field, id = bug, who = editor) => (await readWholeBug(who, id))[of.name]

/** A value of each type, how it is shown, and how history and changes tell of it. */
const VALUES: readonly [Type, given: unknown, shown: unknown, words: string][] = [
  ['freeText', ' Some\ntext ', 'Some text', 'Some text'],
  ['freeText', ['first', 'second'], 'first', 'first'],
  ['freeText', 7, '7', '7'],
  ['largeText', 'two\r\nlines\n', 'two\nlines', 'two\nlines'],
  ['single', 'bLUE', 'Blue', 'Blue'],
  ['multi', ['red', 'BLUE', 'red'], ['Blue', 'Red'], 'Blue, Red'],
  ['multi', 'Red,Blue', ['Blue', 'Red'], 'Blue, Red'],
  ['multi', ['Sky, high', 'Red'], ['Red', 'Sky, high'], 'Red, Sky, high'],
  ['datetime', '2023-11-14 22:13:20', '2023-11-14T22:13:20Z', '2023-11-14T22:13:20Z'],
  ['date', '2024-02-29', '2024-02-29T00:00:00Z', '2024-02-29'],
  ['integer', '-5', '-5', '-5'],
]

const EMPTY: Record<Type, unknown> = {
  freeText: '',
  largeText: '',
  single: '---',
  multi: [],
  datetime: null,
  date: null,
  bugId: null,
  integer: null,
}

describe('a custom field', () => {
  test.each(VALUES)('of the type %s takes %j', async (type, given, shown, words) => {
    const { name } = field[type]
    expect(await changeBug(reporter, bug, { [name.toUpperCase()]: given })).toEqual({
      [name]: { removed: '', added: words },
    })
    expect(await custom(field[type])).toEqual(shown)
    expect(await changeBug(stranger, bug, { [name]: given })).toEqual({})
    expect(await changeBug(reporter, bug, { [name]: null })).toEqual({
      [name]: { removed: words, added: '' },
    })
    expect(await custom(field[type])).toEqual(EMPTY[type])
    expect(await summarizeFieldHistory(bug, field[type].name)).toEqual([
      ` > ${words}`,
      `${words} > `,
    ])

    const id = await postBug(stranger, place, { [name]: given })
    expect(await custom(field[type], id)).toEqual(shown)
    expect(await loadRowsOfBug('history', id)).toEqual([])
  })

  test('of the type bugId takes a number or an alias', async () => {
    const alias = uniqueName('alias')
    await execute(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias} WHERE id = ${other}`)
    const { name } = field.bugId
    expect(await changeBug(editor, bug, { [name]: alias.toUpperCase() })).toEqual({
      [name]: { removed: '', added: `${other}` },
    })
    expect(await custom(field.bugId)).toBe(other)
    expect(await custom(field.bugId, await postBug(reporter, place, { [name]: other }))).toBe(other)
    expect(await changeBug(editor, bug, { [name]: '' })).toEqual({
      [name]: { removed: `${other}`, added: '' },
    })
  })

  test('keeps what stays, and tells of what differs alone', async () => {
    const { name } = field.multi
    await changeBug(editor, bug, { [name]: ['Blue', 'Red'] })
    expect(await changeBug(editor, bug, { [name]: ['Sky, high', 'Blue'] })).toEqual({
      [name]: { removed: 'Red', added: 'Sky, high' },
    })
    const single = field.single.name
    await changeBug(editor, bug, { [single]: 'Red' })
    expect(await changeBug(editor, bug, { [single]: 'Blue' })).toEqual({
      [single]: { removed: 'Red', added: 'Blue' },
    })
    expect(await changeBug(editor, bug, { [single]: '---' })).toEqual({
      [single]: { removed: 'Blue', added: '' },
    })
  })

  test('is set on several bugs and beside others, by what each had', async () => {
    await changeBug(editor, other, { [field.freeText.name]: 'Old' })
    const { body } = await put(editor, `/rest/bug/${bug}`, {
      ids: [other],
      [field.freeText.name]: 'New',
      [field.integer.name]: 3,
    })
    const added = { [field.integer.name]: { removed: '', added: '3' } }
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      { [field.freeText.name]: { removed: '', added: 'New' }, ...added },
      { [field.freeText.name]: { removed: 'Old', added: 'New' }, ...added },
    ])
    const rows = await loadRowsOfBug('history', other)
    expect(rows.map((row) => `${row.removed_fold} > ${row.added_fold}`).sort()).toEqual([
      ' > 3',
      ' > old',
      'old > new',
    ])
  })

  test('is passed over on an update and refused on a new bug when there is none of the name', async () => {
    expect(await changeBug(editor, bug, { cf_no_such_field: 'x' })).toEqual({})
    const body = buildBugBody(place, { cf_no_such_field: 'x' })
    await expectRefusal(() => post(editor, '/rest/bug', body), 400, 53, 'cf_no_such_field')
  })

  test('is for those who may change the bug', async () => {
    const body = { [field.freeText.name]: 'x' }
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(stranger, path, body), 401, 115, field.freeText.name)
  })

  test('of fifty clients at once holds the value of one, and its history is a chain', async () => {
    const { name } = field.single
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        put(editor, `/rest/bug/${bug}`, { [name]: CHOICES[i % 3] }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const steps = (await summarizeFieldHistory(bug, field.single.name)).map((step) =>
      step.split(' > '),
    )
    expect(steps.map(([removed]) => removed)).toEqual(['', ...steps.slice(0, -1).map((s) => s[1])])
    expect(await custom(field.single)).toBe(steps.at(-1)?.[1])
  })
})

describe('a custom field hides', () => {
  test('bugs that the caller may not see: as values and as what was there', async () => {
    const { name } = field.bugId
    await changeBug(editor, bug, { [name]: other })
    await restrictBug(other, team)
    expect(await custom(field.bugId)).toBeNull()
    expect(await changeBug(editor, bug, { [name]: '' })).toEqual({})
    expect(await custom(field.bugId, bug, insider)).toBe(other)
    const [third = 0] = await copyBug(bug, 1)
    await expectRefusal(() => put(editor, `/rest/bug/${third}`, { [name]: other }), 401, 102)
    const body = buildBugBody(place, { [name]: other })
    await expectRefusal(() => post(editor, '/rest/bug', body), 401, 102)
    expect(await changeBug(editor, bug, { [name]: third })).toEqual({
      [name]: { removed: '', added: `${third}` },
    })
    expect(await custom(field.bugId, bug, insider)).toBe(third)
  })
})
