import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  insertCustomField,
  insertFieldValue,
  loadValueId,
  offerValueUnder,
  showFieldUnder,
} from '../../support/builders/fields.ts'
import { insertProduct, insertProductPart } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { readFields, readValuesOf } from '../../support/clients/fields.ts'
import { execute } from '../../support/database/execute.ts'

const SINGLE = 2
const MULTIPLE = 3
const ENTRY = '/rest/field/bug'

const open = await insertProduct()

describe('GET /field/bug', () => {
  test('lists every built-in field, in order', async () => {
    const fields = await readFields('?include_fields=id,name')
    const builtIn = fields.filter(({ id }: { id: number }) => id <= 76)

    expect(builtIn).toHaveLength(76)
    expect(builtIn[0]).toEqual({ id: 1, name: 'bug_id' })
    expect(builtIn[75]).toEqual({ id: 76, name: 'days_elapsed' })
  })

  test('finds a field by ID, internal name or name in bugs, in any case', async () => {
    for (const idOrName of ['10', 'bug_status', 'BUG_STATUS', 'status', 'Status', '%20status']) {
      expect(await readFields(`/${idOrName}?include_fields=id,name`)).toEqual([
        { id: 10, name: 'bug_status' },
      ])
    }
  })

  test('unites the fields of ids, names and path, each once and in their own order', async () => {
    const found = await readFields('/priority?ids=10,1&ids=10&names=Status&names=op_sys')

    expect(found.map(({ name }: { name: string }) => name)).toEqual([
      'bug_id',
      'op_sys',
      'bug_status',
      'priority',
    ])
  })

  test('shows every property of a field without values', async () => {
    expect(await readFields('/summary')).toEqual([
      {
        id: 2,
        name: 'short_desc',
        display_name: 'Summary',
        type: 0,
        is_custom: false,
        is_mandatory: true,
        is_on_bug_entry: false,
        visibility_field: null,
        visibility_values: [],
        value_field: null,
        values: [],
      },
    ])
  })

  test('lists the values of a drop-down with their sort keys, inactive ones too', async () => {
    const field = await insertCustomField(SINGLE)
    await insertFieldValue(field, 'late', { sortKey: 20 })
    await insertFieldValue(field, 'b', { sortKey: 10, isActive: false })
    await insertFieldValue(field, 'A', { sortKey: 10, description: 'The first' })

    const [{ type, is_custom, values }] = await readFields(`/${field.name.toUpperCase()}`)
    expect({ type, is_custom }).toEqual({ type: SINGLE, is_custom: true })
    expect(values).toEqual([
      { name: '---', sort_key: 0, sortkey: 0, visibility_values: [] },
      { name: 'A', sort_key: 10, sortkey: 10, visibility_values: [], description: 'The first' },
      { name: 'b', sort_key: 10, sortkey: 10, visibility_values: [] },
      { name: 'late', sort_key: 20, sortkey: 20, visibility_values: [] },
    ])
  })

  test('lists statuses with the moves of the workflow', async () => {
    const [{ values }] = await readFields('/status')
    const [unconfirmed] = values

    expect(values.map(({ name }: { name: string }) => name).slice(0, 5)).toEqual([
      'UNCONFIRMED',
      'CONFIRMED',
      'IN_PROGRESS',
      'RESOLVED',
      'VERIFIED',
    ])
    expect(unconfirmed).toMatchObject({ sort_key: 100, sortkey: 100, is_open: true })
    expect(unconfirmed.can_change_to).toContainEqual({ name: 'RESOLVED', comment_required: false })
    for (const { name, can_change_to: moves } of values) {
      expect(moves.map((move: { name: string }) => move.name)).not.toContain(name)
    }
    expect(values[3]).toMatchObject({ name: 'RESOLVED', is_open: false })
  })

  test('says which move needs a comment', async () => {
    const field = { id: 10, name: 'bug_status' }
    const name = uniqueName('PARKED')
    const id = await insertFieldValue(field, name, { sortKey: 9000 })
    const target = await loadValueId('bug_status', 'CONFIRMED')
    await execute(sql`INSERT INTO status_transitions (from_id, to_id, comment_required)
      VALUES (${id}, ${target}, 1), (${id}, ${id}, 0)`)

    const [{ values }] = await readFields('/bug_status')
    expect(values.find((one: { name: string }) => one.name === name)).toMatchObject({
      can_change_to: [{ name: 'CONFIRMED', comment_required: true }],
    })
    await execute(
      sql`DELETE FROM status_transitions WHERE from_id = ${id}`,
      sql`DELETE FROM field_values WHERE id = ${id}`,
    )
  })

  test('lists active keywords with their descriptions', async () => {
    const [active, gone] = [uniqueName('keyword-a'), uniqueName('keyword-b')]
    await execute(sql`INSERT INTO keywords (name, name_fold, description, is_active)
      VALUES (${active}, ${active}, 'What it is', 1), (${gone}, ${gone}, '', 0)`)

    const [{ values }] = await readFields('/keywords')
    expect(values).toContainEqual({ name: active, description: 'What it is' })
    expect(values.map(({ name }: { name: string }) => name)).not.toContain(gone)
  })

  test('lists versions of each product in natural order, inactive ones marked', async () => {
    const place = await insertProduct()
    await insertProductPart('versions', place, '10.0')
    await insertProductPart('versions', place, '2.0', { isActive: false })
    const entry = (name: string, isActive: boolean) => ({
      name,
      sort_key: 0,
      sortkey: 0,
      visibility_values: [place.name],
      is_active: isActive,
    })

    expect(await readValuesOf('version', place)).toEqual([
      entry('1.0', true),
      entry('2.0', false),
      entry('10.0', true),
      entry('unspecified', true),
    ])
  })

  test('lists milestones by sort key, and components', async () => {
    const place = await insertProduct()
    await insertProductPart('milestones', place, 'M1', { sortKey: 20 })
    await insertProductPart('milestones', place, 'M2', { sortKey: 10, isActive: false })
    const milestones = (await readValuesOf('target_milestone', place)).map(
      (one: { name: string; sort_key: number; is_active: boolean }) => [
        one.name,
        one.sort_key,
        one.is_active,
      ],
    )

    expect(milestones).toEqual([
      ['---', 0, true],
      ['M2', 10, false],
      ['M1', 20, true],
    ])
    expect(await readValuesOf('component', place)).toEqual([
      {
        name: place.component,
        sort_key: 0,
        sortkey: 0,
        visibility_values: [place.name],
        is_active: true,
      },
    ])
  })

  test('lists a name once for each product that has it', async () => {
    const other = await insertProduct()
    const [{ values, value_field }] = await readFields('/version')
    const owners = values
      .filter(({ name }: { name: string }) => name === 'unspecified')
      .flatMap((one: { visibility_values: string[] }) => one.visibility_values)

    expect(value_field).toBe('product')
    expect(owners).toEqual(expect.arrayContaining([open.name, other.name]))
    expect(new Set(owners).size).toBe(owners.length)
  })

  test('lists no products, which are read elsewhere', async () => {
    expect(await readFields('/product')).toMatchObject([{ type: SINGLE, values: [] }])
  })

  test('names the controlling field and values', async () => {
    const field = await insertCustomField(MULTIPLE)
    const both = await insertFieldValue(field, 'in both', { sortKey: 1 })
    await insertFieldValue(field, 'always', { sortKey: 2 })
    const [high, low] = [
      await loadValueId('priority', 'High'),
      await loadValueId('priority', 'Low'),
    ]
    await showFieldUnder(field, 'product', [open.id])
    await offerValueUnder(field, 'priority', both, [low, high])

    expect(await readFields(`/${field.name}`)).toMatchObject([
      {
        visibility_field: 'product',
        visibility_values: [open.name],
        value_field: 'priority',
        values: [
          { name: 'in both', visibility_values: ['High', 'Low'] },
          { name: 'always', visibility_values: [] },
        ],
      },
    ])
  })

  test('shows an obsolete field only to callers who name it', async () => {
    const field = await insertCustomField(1, { isObsolete: true })
    const everything = await readFields('?include_fields=name')

    expect(everything).not.toContainEqual({ name: field.name })
    expect(await readFields(`/${field.id}?include_fields=name`)).toEqual([{ name: field.name }])
  })

  test('answers below /rest.cgi and with a slash at the end', async () => {
    const { body } = await get(ANYONE, '/rest.cgi/field/bug/status/?include_fields=id')

    expect(body).toEqual({ fields: [{ id: 10 }] })
  })
})

describe('GET /field/bug', () => {
  test.each([
    ['include_fields=id,name', { id: 9, name: 'op_sys' }],
    ['include_fields=bogus', {}],
    ['include_fields=id,values&exclude_fields=values', { id: 9 }],
    ['include_fields=visibility_values', { visibility_values: [] }],
  ])('filters fields: %s', async (query, expected) => {
    expect(await readFields(`/op_sys?${query}`)).toEqual([expected])
  })

  test('filters fields: sub-fields of values', async () => {
    const [{ values }] = await readFields('/status?include_fields=values.name')
    const [{ values: others }] = await readFields('/status?exclude_fields=values.can_change_to')

    expect(values[0]).toEqual({ name: 'UNCONFIRMED' })
    expect(Object.keys(others[0])).toEqual([
      'name',
      'sort_key',
      'sortkey',
      'visibility_values',
      'is_open',
    ])
  })

  test.each([
    ['id,name', 1],
    ['id,visibility_values', 2],
    ['values.name', 8],
    ['_all', 10],
  ])('runs only the statements for them: %s takes %d', async (fields, statements) => {
    const { cost } = await get(ANYONE, `${ENTRY}?include_fields=${fields}`)

    expect(cost).toMatchObject({ trips: 1, statements })
  })
})

describe('GET /field/bug', () => {
  test.each([
    ['/bogus', 'bogus'],
    ['/0', '0'],
    ['/99999999', '99999999'],
    ['?ids=1&ids=99999999', '99999999'],
    ['?names=status&names=bogus', 'bogus'],
    ['/status?names=bogus', 'bogus'],
  ])('rejects the unknown field of %s', async (path, naming) => {
    expectFault(await get(ANYONE, `${ENTRY}${path}`), 404, 51, naming)
  })

  test.each(['abc', '-1', '0', '1.5'])('rejects %s as an ID', async (id) => {
    expectFault(await get(ANYONE, `${ENTRY}?ids=1&ids=${id}`), 400, 52, 'ids')
  })
})
