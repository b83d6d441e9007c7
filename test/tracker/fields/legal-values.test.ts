import { describe, expect, test } from 'vitest'
import {
  insertCustomField,
  insertFieldValue,
  offerValueUnder,
} from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct, insertProductPart } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { readLegalValues } from '../../support/clients/fields.ts'

const PART_FIELDS = ['version', 'target_milestone', 'component']

const member = await insertPerson()
const stranger = await insertPerson()
const restricted = await insertGroup([member])
const place = await insertProduct()
const hidden = await insertProduct({
  controls: [{ group: restricted, entry: true, memberControl: 3, otherControl: 3 }],
})

describe('GET /field/bug/:field/values', () => {
  test.each([
    ['bug_type', ['defect', 'enhancement', 'task', '--']],
    ['type', ['defect', 'enhancement', 'task', '--']],
    ['Resolution', ['', 'FIXED', 'INVALID', 'WONTFIX', 'DUPLICATE', 'WORKSFORME', 'INCOMPLETE']],
  ])('answers the values of %s in their order', async (field, expected) => {
    expect(await readLegalValues(`/${field}/values`)).toEqual(expected)
  })

  test.each(['status', 'severity', 'priority', 'op_sys', 'platform', 'rep_platform'])(
    'answers the values of %s, whatever the product',
    async (field) => {
      const values = await readLegalValues(`/${field}/values`)

      expect(values.length).toBeGreaterThan(3)
      for (const ignored of [place.id, hidden.id, 0, 'x']) {
        expect(await readLegalValues(`/${field}/${ignored}/values`)).toEqual(values)
      }
    },
  )

  test.each([
    [2, ['---']],
    [3, []],
  ])('answers active values of a custom select field of type %d', async (type, empty) => {
    const field = await insertCustomField(type)
    await insertFieldValue(field, 'late', { sortKey: 3 })
    await insertFieldValue(field, 'b', { sortKey: 1 })
    await insertFieldValue(field, 'A', { sortKey: 1 })
    await insertFieldValue(field, 'gone', { sortKey: 2, isActive: false })

    expect(await readLegalValues(`/${field.name}/values`)).toEqual([...empty, 'A', 'b', 'late'])
  })

  test('is empty for a select field without values', async () => {
    const field = await insertCustomField(3)

    expect(await readLegalValues(`/${field.name}/values`)).toEqual([])
  })

  test('lists all versions of a product in natural order, inactive ones too', async () => {
    const mine = await insertProduct()
    await insertProductPart('versions', mine, '10.0', { isActive: false })
    await insertProductPart('versions', mine, '2.0')

    expect(await readLegalValues(`/version/${mine.id}/values`)).toEqual([
      '1.0',
      '2.0',
      '10.0',
      'unspecified',
    ])
  })

  test('lists all milestones of a product by sort key, and its components', async () => {
    const mine = await insertProduct()
    await insertProductPart('milestones', mine, 'later', { sortKey: 20 })
    await insertProductPart('milestones', mine, 'sooner', { sortKey: 10, isActive: false })

    expect(await readLegalValues(`/target_milestone/${mine.id}/values`)).toEqual([
      '---',
      'sooner',
      'later',
    ])
    expect(await readLegalValues(`/Component/${mine.id}/values`)).toEqual([mine.component])
  })

  test('lists the values of a product in which the caller may file but not search', async () => {
    const toFile = await insertProduct({
      controls: [{ group: restricted, memberControl: 3, otherControl: 3 }],
    })

    expect(await readLegalValues(`/component/${toFile.id}/values`, stranger)).toEqual([
      toFile.component,
    ])
  })

  test('costs one round trip', async () => {
    const answers = [
      await get(ANYONE, '/rest/field/bug/status/values'),
      await get(ANYONE, `/rest/field/bug/version/${place.id}/values`),
    ]

    expect(answers.map(({ cost }) => cost.trips)).toEqual([1, 1])
  })
})

describe('GET /field/bug/:field/values', () => {
  test.each([
    'bogus',
    'summary',
    'short_desc',
    'keywords',
    'product',
    'classification',
    'assigned_to',
    '10',
  ])('rejects %s, which has no list of values', async (field) => {
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/values`), 400, 108, field)
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/${place.id}/values`), 400, 108, field)
  })

  test('rejects a custom field that is free text', async () => {
    const field = await insertCustomField(1)

    expectFault(await get(ANYONE, `/rest/field/bug/${field.name}/values`), 400, 108, field.name)
  })

  test.each(PART_FIELDS)('rejects %s without a product', async (field) => {
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/values`), 401, 106, 'product')
  })

  test.each(PART_FIELDS)('rejects %s of a product that does not exist', async (field) => {
    for (const id of ['0', '99999999', '-1', 'x', '1.5', '999999999999999999999']) {
      expectFault(await get(member, `/rest/field/bug/${field}/${id}/values`), 401, 106, id)
    }
  })
})

describe('GET /field/bug/:field/values', () => {
  test.each(PART_FIELDS)(
    'hides every %s of a product from those who may not use it',
    async (field) => {
      const path = (id: number) => `/rest/field/bug/${field}/${id}/values`
      expect((await get(member, path(hidden.id))).status).toBe(200)
      for (const outsider of [ANYONE, stranger]) {
        const there = await get(outsider, path(hidden.id))
        const nowhere = await get(outsider, path(99_999_999))
        expectFault(there, 401, 106)
        expect(there.text.replaceAll(`'${hidden.id}'`, '#')).toBe(
          nowhere.text.replaceAll("'99999999'", '#'),
        )
      }
    },
  )

  test('hides values that are offered in hidden products alone', async () => {
    const field = await insertCustomField(3)
    const [both, secret] = [
      await insertFieldValue(field, 'both'),
      await insertFieldValue(field, 'secret'),
    ]
    await offerValueUnder(field, 'product', both, [place.id, hidden.id])
    await offerValueUnder(field, 'product', secret, [hidden.id])

    expect(await readLegalValues(`/${field.name}/values`, member)).toEqual(['both', 'secret'])
    expect(await readLegalValues(`/${field.name}/values`, stranger)).toEqual(['both'])
  })
})
