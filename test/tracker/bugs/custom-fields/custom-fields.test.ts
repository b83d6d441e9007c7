import { beforeEach, describe, expect, test } from 'vitest'
import type { FieldTypeName } from '../../../../src/platform/db/schema/fields.ts'
import {
  buildBugBody,
  copyBug,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../support/builders/bugs.ts'
import { CHOICES, insertFieldOfEachType } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { summarizeFieldHistory } from '../../../support/database/history.ts'

type Field = { id: number; name: string }

let bug: number
let other: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const insider = await insertPerson({ roles: ['editbugs'] })
const team = await insertGroup([insider])
const place = await insertProduct()
const field = await insertFieldOfEachType()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[other = 0] = await copyBug(bug, 1)
})

const readCustomValue = async (of: Field, id = bug, who = editor) =>
  (await readWholeBug(who, id))[of.name]

/** A value of each type, how Get Bug shows it, and how history and changes record it. */
const VALUES: readonly {
  type: FieldTypeName
  value: unknown
  shown: unknown
  recorded: string
}[] = [
  { type: 'freeText', value: ' Some\ntext ', shown: 'Some text', recorded: 'Some text' },
  { type: 'freeText', value: ['first'], shown: 'first', recorded: 'first' },
  { type: 'freeText', value: 7, shown: '7', recorded: '7' },
  { type: 'largeText', value: 'two\r\nlines\n', shown: 'two\nlines', recorded: 'two\nlines' },
  { type: 'single', value: 'bLUE', shown: 'Blue', recorded: 'Blue' },
  { type: 'multi', value: ['red', 'BLUE', 'red'], shown: ['Blue', 'Red'], recorded: 'Blue, Red' },
  { type: 'multi', value: 'Red,Blue', shown: ['Blue', 'Red'], recorded: 'Blue, Red' },
  {
    type: 'multi',
    value: ['Sky, high', 'Red'],
    shown: ['Red', 'Sky, high'],
    recorded: 'Red, Sky, high',
  },
  {
    type: 'datetime',
    value: '2023-11-14 22:13:20',
    shown: '2023-11-14T22:13:20Z',
    recorded: '2023-11-14T22:13:20Z',
  },
  { type: 'date', value: '2024-02-29', shown: '2024-02-29T00:00:00Z', recorded: '2024-02-29' },
  { type: 'integer', value: '-5', shown: '-5', recorded: '-5' },
]

const EMPTY: Record<FieldTypeName, unknown> = {
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
  test.each(VALUES)(
    'of the type $type stores, shows and clears $value',
    async ({ type, value, shown, recorded }) => {
      const { name } = field[type]
      const none = type === 'single' ? '---' : ''
      expect(await changeBug(reporter, bug, { [name.toUpperCase()]: value })).toEqual({
        [name]: { removed: none, added: recorded },
      })
      expect(await readCustomValue(field[type])).toEqual(shown)
      expect(await changeBug(stranger, bug, { [name]: value })).toEqual({})
      expect(await changeBug(reporter, bug, { [name]: null })).toEqual({
        [name]: { removed: recorded, added: none },
      })
      expect(await readCustomValue(field[type])).toEqual(EMPTY[type])
      expect(await summarizeFieldHistory(bug, field[type].name)).toEqual([
        `${none} > ${recorded}`,
        `${recorded} > ${none}`,
      ])

      const id = await postBug(stranger, place, { [name]: value })
      expect(await readCustomValue(field[type], id)).toEqual(shown)
      expect(await loadRowsOfBug('history', id)).toEqual([])
    },
  )

  test('of the type bugId accepts a number or an alias', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(other, { alias, alias_fold: alias })
    const { name } = field.bugId
    expect(await changeBug(editor, bug, { [name]: alias.toUpperCase() })).toEqual({
      [name]: { removed: '', added: `${other}` },
    })
    expect(await readCustomValue(field.bugId)).toBe(other)
    expect(
      await readCustomValue(field.bugId, await postBug(reporter, place, { [name]: other })),
    ).toBe(other)
    expect(await changeBug(editor, bug, { [name]: '' })).toEqual({
      [name]: { removed: `${other}`, added: '' },
    })
  })

  test('records only the values that differ', async () => {
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
      [single]: { removed: 'Blue', added: '---' },
    })
  })

  test.each(['---', '', null, ' '])('with one choice is cleared by %j', async (value) => {
    const { name } = field.single
    await changeBug(editor, bug, { [name]: 'Red' })
    expect(await changeBug(editor, bug, { [name]: value })).toEqual({
      [name]: { removed: 'Red', added: '---' },
    })
    expect(await changeBug(editor, bug, { [name]: value })).toEqual({})
    expect(await readCustomValue(field.single)).toBe('---')
  })

  test('with one value refuses two with 53', async () => {
    for (const { name } of [field.single, field.freeText, field.bugId]) {
      const body = { [name]: ['1', '2'] }
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 53, name)
    }
  })

  test('changes on each of several bugs according to its previous value', async () => {
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

  test('of an unknown name is ignored by PUT /bug and rejected by POST /bug with 53', async () => {
    expect(await changeBug(editor, bug, { cf_no_such_field: 'x' })).toEqual({})
    const body = buildBugBody(place, { cf_no_such_field: 'x' })
    await expectRefusal(() => post(editor, '/rest/bug', body), 53, 'cf_no_such_field')
  })

  test('cannot be changed by people who may not change the bug (115)', async () => {
    const body = { [field.freeText.name]: 'x' }
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(stranger, path, body), 115, field.freeText.name)
  })

  test('that fifty clients set at once has the value of one of them and a gapless history', async () => {
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
    expect(steps.map(([removed]) => removed)).toEqual([
      '---',
      ...steps.slice(0, -1).map((s) => s[1]),
    ])
    expect(await readCustomValue(field.single)).toBe(steps.at(-1)?.[1])
  })
})

describe('the visibility of a custom field', () => {
  test('hides bugs that the caller may not see, both as new and as previous values', async () => {
    const { name } = field.bugId
    await changeBug(editor, bug, { [name]: other })
    await restrictBug(other, team)
    expect(await readCustomValue(field.bugId)).toBeNull()
    expect(await changeBug(editor, bug, { [name]: '' })).toEqual({})
    expect(await readCustomValue(field.bugId, bug, insider)).toBe(other)
    const [third = 0] = await copyBug(bug, 1)
    await expectRefusal(() => put(editor, `/rest/bug/${third}`, { [name]: other }), 102)
    const body = buildBugBody(place, { [name]: other })
    await expectRefusal(() => post(editor, '/rest/bug', body), 102)
    expect(await changeBug(editor, bug, { [name]: third })).toEqual({
      [name]: { removed: '', added: `${third}` },
    })
    expect(await readCustomValue(field.bugId, bug, insider)).toBe(third)
  })
})
