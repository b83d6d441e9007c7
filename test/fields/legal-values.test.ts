import { beforeAll, describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get } from '../support/client.ts'
import { legalValuesAt, offerUnder, part, value } from '../support/fields.ts'
import { customField } from '../support/reading.ts'
import {
  group,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
} from '../support/world.ts'

const PART_FIELDS = ['version', 'target_milestone', 'component']

let member: TestPerson
let stranger: TestPerson
let restricted: TestGroup
let place: TestProduct
let hidden: TestProduct

beforeAll(async () => {
  member = await person()
  stranger = await person()
  restricted = await group([member])
  place = await product()
  hidden = await product({
    controls: [{ group: restricted, entry: true, memberControl: 3, otherControl: 3 }],
  })
})

describe('answers', () => {
  test.each([
    ['bug_type', ['defect', 'enhancement', 'task', '--']],
    ['type', ['defect', 'enhancement', 'task', '--']],
    ['Resolution', ['', 'FIXED', 'INVALID', 'WONTFIX', 'DUPLICATE', 'WORKSFORME', 'INCOMPLETE']],
  ])('the values of %s in their order', async (field, expected) => {
    expect(await legalValuesAt(`/${field}/values`)).toEqual(expected)
  })

  test.each(['status', 'severity', 'priority', 'op_sys', 'platform', 'rep_platform'])(
    'the values of %s, whatever the product',
    async (field) => {
      const values = await legalValuesAt(`/${field}/values`)

      expect(values.length).toBeGreaterThan(3)
      for (const ignored of [place.id, hidden.id, 0, 'x']) {
        expect(await legalValuesAt(`/${field}/${ignored}/values`)).toEqual(values)
      }
    },
  )

  test.each([2, 3])('active values of a custom select field of type %d', async (type) => {
    const field = await customField(type)
    await value(field, 'late', { sortKey: 3 })
    await value(field, 'b', { sortKey: 1 })
    await value(field, 'A', { sortKey: 1 })
    await value(field, 'gone', { sortKey: 2, isActive: false })

    expect(await legalValuesAt(`/${field.name}/values`)).toEqual(['A', 'b', 'late'])
  })

  test('nothing for a select field without values', async () => {
    const field = await customField(2)

    expect(await legalValuesAt(`/${field.name}/values`)).toEqual([])
  })

  test('all versions of a product in natural order, inactive ones included', async () => {
    const mine = await product()
    await part('versions', mine, '10.0', { isActive: false })
    await part('versions', mine, '2.0')

    expect(await legalValuesAt(`/version/${mine.id}/values`)).toEqual([
      '1.0',
      '2.0',
      '10.0',
      'unspecified',
    ])
  })

  test('all milestones of a product by sort key, and its components', async () => {
    const mine = await product()
    await part('milestones', mine, 'later', { sortKey: 20 })
    await part('milestones', mine, 'sooner', { sortKey: 10, isActive: false })

    expect(await legalValuesAt(`/target_milestone/${mine.id}/values`)).toEqual([
      '---',
      'sooner',
      'later',
    ])
    expect(await legalValuesAt(`/Component/${mine.id}/values`)).toEqual([mine.component])
  })

  test('those of a product in which the caller may file but not search', async () => {
    const toFile = await product({
      controls: [{ group: restricted, memberControl: 3, otherControl: 3 }],
    })

    expect(await legalValuesAt(`/component/${toFile.id}/values`, stranger)).toEqual([
      toFile.component,
    ])
  })

  test('in one trip', async () => {
    const answers = [
      await get(ANYONE, '/rest/field/bug/status/values'),
      await get(ANYONE, `/rest/field/bug/version/${place.id}/values`),
    ]

    expect(answers.map(({ cost }) => cost.trips)).toEqual([1, 1])
  })
})

describe('refuses', () => {
  test.each([
    'bogus',
    'summary',
    'short_desc',
    'keywords',
    'product',
    'classification',
    'assigned_to',
    '10',
  ])('%s, which has no list of values', async (field) => {
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/values`), 400, 108, field)
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/${place.id}/values`), 400, 108, field)
  })

  test('a custom field that is free text', async () => {
    const field = await customField(1)

    expectFault(await get(ANYONE, `/rest/field/bug/${field.name}/values`), 400, 108, field.name)
  })

  test.each(PART_FIELDS)('%s without a product', async (field) => {
    expectFault(await get(ANYONE, `/rest/field/bug/${field}/values`), 401, 106, 'product')
  })

  test.each(PART_FIELDS)('%s of a product that does not exist', async (field) => {
    for (const id of ['0', '99999999', '-1', 'x', '1.5', '999999999999999999999']) {
      expectFault(await get(member, `/rest/field/bug/${field}/${id}/values`), 401, 106, id)
    }
  })
})

describe('hides', () => {
  test.each(PART_FIELDS)('every %s of a product from those who may not use it', async (field) => {
    const path = (id: number) => `/rest/field/bug/${field}/${id}/values`
    expect((await get(member, path(hidden.id))).status).toBe(200)
    for (const outsider of [ANYONE, stranger]) {
      const there = await get(outsider, path(hidden.id))
      const nowhere = await get(outsider, path(99_999_999))
      expectFault(there, 401, 106)
      expect(there.text.replaceAll(String(hidden.id), '#')).toBe(
        nowhere.text.replaceAll('99999999', '#'),
      )
    }
  })

  test('values that are offered in hidden products alone', async () => {
    const field = await customField(2)
    const [both, secret] = [await value(field, 'both'), await value(field, 'secret')]
    await offerUnder(field, 'product', both, [place.id, hidden.id])
    await offerUnder(field, 'product', secret, [hidden.id])

    expect(await legalValuesAt(`/${field.name}/values`, member)).toEqual(['both', 'secret'])
    expect(await legalValuesAt(`/${field.name}/values`, stranger)).toEqual(['both'])
  })
})
