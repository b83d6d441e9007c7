import { describe, expect, test } from 'vitest'
import {
  parseTypeCcList,
  parseTypeName,
  parseTypeSortKey,
  typeValues,
} from '../../../../src/tracker/flags/types/create-values.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get, post } from '../../../support/client.ts'
import { loadAuditEntries } from '../../../support/database/structure.ts'

const architect = await insertPerson({ roles: ['editcomponents'] })
const stranger = await insertPerson()
const granters = await insertGroup()
const builders = await insertGroup()
const local = await insertPerson({ groups: [builders] })
const own = await insertProduct({ controls: [{ group: builders, editComponents: true }] })
const other = await insertProduct()

const buildBody = (more: object = {}) => ({
  name: uniqueName('flag'),
  description: 'What it asks',
  inclusions: [own.name],
  ...more,
})

async function typesOf(place: TestProduct, target = 'bug') {
  const answer = await get(ANYONE, `/rest/product/${place.name}`)
  return answer.body.products[0].components[0].flag_types[target]
}

describe('a new flag type', () => {
  test('is shown with the components where it applies, and recorded', async () => {
    const values = buildBody({
      target_type: 'attachment',
      cc_list: ['a@example.test', 'b@example.test'],
      sortkey: '7',
      is_active: false,
      is_requestable: false,
      is_specifically_requestable: false,
      is_multiplicable: false,
      grant_group: granters.name.toUpperCase(),
      request_group: granters.name,
    })
    const answer = await post(architect, '/rest/flag_type', values)
    expect(answer.status, answer.text).toBe(201)
    const { id } = answer.body
    expect(await typesOf(own, 'attachment')).toContainEqual({
      id,
      name: values.name,
      description: 'What it asks',
      cc_list: 'a@example.test, b@example.test',
      sort_key: 7,
      is_active: false,
      is_requestable: false,
      is_requesteeble: false,
      is_multiplicable: false,
      grant_group: granters.id,
      request_group: granters.id,
    })
    expect(await typesOf(other, 'attachment')).toEqual([])
    expect(await loadAuditEntries('FlagType', id)).toMatchObject([
      {
        user_id: architect.id,
        action: 'create',
        changes: {
          name: { removed: '', added: values.name },
          inclusions: { removed: '', added: own.name },
          target_type: { removed: '', added: 'attachment' },
        },
      },
    ])
  })

  test('asks bugs, of everybody, unless it is shown otherwise', async () => {
    const { id } = (await post(architect, '/rest/flag_type', buildBody())).body
    const [type] = (await typesOf(own)).filter((one: { id: number }) => one.id === id)
    expect(type).toMatchObject({
      cc_list: '',
      sort_key: 1,
      is_active: true,
      is_requestable: true,
      is_requesteeble: true,
      is_multiplicable: true,
      grant_group: null,
      request_group: null,
    })
  })

  test.each<[string, () => unknown, () => boolean[]]>([
    ['a product by name', () => own.name, () => [true, false]],
    ['a component', () => ({ [own.name]: [own.component] }), () => [true, false]],
    ['a product as an object', () => [{ [own.name]: null }, other.name], () => [true, true]],
    ['nothing', () => [], () => [false, false]],
  ])('applies to %s', async (_, inclusions, applies) => {
    const { id } = (
      await post(architect, '/rest/flag_type', buildBody({ inclusions: inclusions() }))
    ).body
    const typesOfProducts = await Promise.all([own, other].map((place) => typesOf(place)))
    expect(
      typesOfProducts.map((types) => types.some((one: { id: number }) => one.id === id)),
    ).toEqual(applies())
  })

  test('applies to a component, and to a product whose name reads like it', async () => {
    const name = `${own.name}:${own.component}`
    const like = await post(architect, '/rest/product', {
      ...{ name, description: 'x', classification: 'Unclassified' },
    })
    await post(architect, '/rest/component', {
      ...{ product: name, name: 'c', description: 'x', team_name: 'x' },
      default_assignee: stranger.login,
    })
    const inclusions = [{ [own.name]: own.component }, name]
    const { id } = (await post(architect, '/rest/flag_type', buildBody({ inclusions }))).body
    for (const place of [own, { ...own, id: like.body.id, name }]) {
      expect((await typesOf(place)).map((type: { id: number }) => type.id)).toContain(id)
    }
  })

  test('is made by people who may change components in all of its products', async () => {
    expect((await post(local, '/rest/flag_type', buildBody())).status).toBe(201)
  })
})

describe('values', () => {
  test.each([
    [[], ''],
    [['a@b.test,c@d.test'], 'a@b.test, c@d.test'],
    [[' a@b.test ', 'c@d.test e@f.test'], 'a@b.test, c@d.test, e@f.test'],
  ])('of a CC list may be %j', (given, list) => {
    expect(parseTypeCcList(given)).toBe(list)
  })

  test.each([
    [{ sortkey: 0 }, 0],
    [{ sort_key: ' 32767 ' }, 32_767],
    [{ sortkey: '' }, undefined],
    [{}, undefined],
  ])('of a sort key may be %j', (given, key) => {
    expect(parseTypeSortKey(given)).toBe(key)
  })

  test.each([32_768, 1.5, 'x', [], true])('of a sort key may not be %j', (sortkey) => {
    expect(() => parseTypeSortKey({ sortkey })).toThrow(expect.objectContaining({ code: 1104 }))
  })

  test('of a name hold fifty characters', () => {
    expect(parseTypeName(` ${'é'.repeat(50)} `)).toBe('é'.repeat(50))
    for (const name of ['é'.repeat(51), 'a,b', 'a\u0007b']) {
      expect(() => parseTypeName(name)).toThrow(expect.objectContaining({ code: 1101 }))
    }
  })

  test('of scopes come in several forms', () => {
    const all = { product: 'P', component: null }
    const one = { product: 'P', component: 'C' }
    const read = (value: unknown) => typeValues.inclusions.parse(value)
    expect(read('P')).toEqual([all])
    expect(read(['P', { P: 'C', Q: [] }])).toEqual([all, one, { ...all, product: 'Q' }])
    expect(read(null)).toEqual([])
    expect(read(undefined)).toBeUndefined()
  })
})
