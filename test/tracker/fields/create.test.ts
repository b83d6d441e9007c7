import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { postCustomField } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { readFields, readLegalValues } from '../../support/clients/fields.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'

const PATH = '/rest/field/bug'

const admin = await insertPerson({ roles: ['admin'] })

const uniqueFieldName = () => `cf_${uniqueName('f').toLowerCase()}`

describe('POST /field/bug', () => {
  test('is created under its name in lower case, for everybody', async () => {
    const name = uniqueFieldName()
    const made = await post(admin, PATH, { name: name.toUpperCase(), type: 1 })

    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { id: expect.any(Number) },
    })
    expect(await readFields(`/${name}`)).toEqual([
      {
        id: made.body.id,
        name,
        display_name: name,
        type: 1,
        is_custom: true,
        is_mandatory: false,
        is_on_bug_entry: false,
        visibility_field: null,
        visibility_values: [],
        value_field: null,
        values: [],
      },
    ])
    expect(await loadAuditEntries('Field', made.body.id)).toMatchObject([
      { user_id: admin.id, action: 'create', changes: { name: { removed: '', added: name } } },
    ])
  })

  test('has every given property', async () => {
    const place = await insertProduct()
    const { id } = await postCustomField(admin, {
      type: '3',
      display_name: 'Fixed in',
      is_mandatory: true,
      is_on_bug_entry: 1,
      visibility_field: 'product',
      visibility_values: [place.name.toUpperCase()],
      value_field: 'severity',
      sort_key: 30_000,
      values: [
        'plain',
        { name: 'late', sort_key: 900, description: 'Not yet', is_active: false },
        { name: 'severe', visibility_values: ['Blocker', 'critical'] },
      ],
    })

    expect(await readFields(`/${id}`)).toMatchObject([
      {
        display_name: 'Fixed in',
        type: 3,
        is_mandatory: true,
        is_on_bug_entry: true,
        visibility_field: 'product',
        visibility_values: [place.name],
        value_field: 'bug_severity',
        values: [
          { name: 'plain', sort_key: 100, visibility_values: [] },
          { name: 'late', sort_key: 900, description: 'Not yet' },
          { name: 'severe', sort_key: 1000, visibility_values: ['blocker', 'critical'] },
        ],
      },
    ])
  })

  test('has its values in the given order, behind the empty choice', async () => {
    const { name } = await postCustomField(admin, { type: 2, values: ['z', '---', 'a', 'm'] })

    expect(await readLegalValues(`/${name}/values`)).toEqual(['---', 'z', 'a', 'm'])
  })

  test('puts a new field behind the others in the list of fields', async () => {
    const [first, second] = [
      await postCustomField(admin, { type: 1 }),
      await postCustomField(admin, { type: 1 }),
    ]
    const names = (await readFields('?include_fields=name')).map(
      (one: { name: string }) => one.name,
    )

    expect(names.indexOf(first.name)).toBeGreaterThan(names.indexOf('days_elapsed'))
    expect(names.indexOf(second.name)).toBeGreaterThan(names.indexOf('days_elapsed'))
  })

  test.each([
    [1, ''],
    [2, '---'],
    [3, []],
    [4, ''],
    [5, null],
    [6, null],
    [9, null],
    [10, null],
  ])('answers nothing in bugs yet: type %d shows %j', async (type, empty) => {
    const { name } = await postCustomField(admin, { type })
    const { id } = (await post(admin, '/rest/bug', buildBugBody(await insertProduct()))).body

    expect((await get(admin, `/rest/bug/${id}`)).body.bugs[0][name]).toEqual(empty)
  })
})

describe('POST /field/bug', () => {
  test('rejects a taken name in any case with 32000, even one taken at the same moment', async () => {
    const { name } = await postCustomField(admin, { type: 1 })
    const upper = name.toUpperCase()
    expectFault(await post(admin, PATH, { name: upper, type: 1 }), 400, 32_000, name)
    const twin = uniqueFieldName()
    const answers = await Promise.all([1, 2].map(() => post(admin, PATH, { name: twin, type: 1 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  test('rejects callers who are no administrators with 304, and anonymous callers with 410', async () => {
    const body = { name: 'cf_new', type: 1 }
    const other = await insertPerson({ roles: ['editcomponents', 'editbugs', 'tweakparams'] })
    expectFault(await post(other, PATH, body), 401, 304)
    expectFault(await post(ANYONE, PATH, body), 401, 410)
  })
})
