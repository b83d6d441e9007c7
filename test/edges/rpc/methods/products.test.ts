import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { readFaultCode, readResult } from '../../../support/clients/rpc.ts'

const admin = await insertPerson({ roles: ['admin'] })
const place = await insertProduct()

describe('the methods of products', () => {
  test('list and read products', async () => {
    for (const list of ['selectable', 'enterable', 'accessible']) {
      const rest = await get(admin, `/rest/product_${list}`)
      expect(await readResult(admin, `Product.get_${list}_products`)).toEqual(rest.body)
    }
    const rest = await get(ANYONE, `/rest/product?names=${place.name}`)
    expect(await readResult(ANYONE, 'Product.get', { names: [place.name] })).toEqual(rest.body)
  })

  test('create and change products', async () => {
    const name = uniqueName('product')
    const { id } = await readResult(admin, 'Product.create', {
      ...{ name, description: 'x', version: '1', classification: 'Unclassified' },
    })
    const { products } = await readResult(admin, 'Product.update', { ids: [id], description: 'y' })
    expect(products).toMatchObject([{ id, changes: { description: { added: 'y' } } }])
  })
})

describe('the methods of components', () => {
  const update = (params: object) => readResult(admin, 'Component.update', params)

  test('read a component', async () => {
    const names = { product: place.name, component: place.component }
    const read = await readResult(ANYONE, 'Component.get', names)
    expect(await readResult(ANYONE, 'Component.get', { names: [names] })).toEqual(read)
    expect(read.name).toBe(place.component)
  })

  test('change a component by ID, by name, and in the form of older clients', async () => {
    const { name: product } = place
    const { id } = await readResult(admin, 'Component.create', {
      ...{
        product,
        name: uniqueName('part'),
        description: 'x',
        default_assignee: admin.login,
        team_name: 'x',
      },
    })
    const byId = await update({ ids: [id], name: 'Renamed', description: 'one' })
    expect(byId.components).toMatchObject([{ id, description: 'one' }])
    const names = [{ product, component: 'Renamed' }]
    const byName = await update({ names, updates: { description: 'two' } })
    expect(byName.components).toMatchObject([{ id, description: 'two' }])
  })

  test('refuse several components, and names that are no objects, with 53', async () => {
    expect(await readFaultCode(admin, 'Component.update', { ids: [1, 2] })).toBe(53)
    expect(await readFaultCode(admin, 'Component.update', { names: ['x'] })).toBe(53)
  })

  test('refuse an ID that is an object with 50, as they do one of letters', async () => {
    for (const ids of [['x'], [{ toString: 1 }]]) {
      expect(await readFaultCode(admin, 'Component.update', { ids })).toBe(50)
    }
  })
})

describe('the methods of flag types and classifications', () => {
  test('read what there is', async () => {
    const { name: product, component } = place
    const rest = await get(ANYONE, `/rest/flag_type/${product}`)
    expect(await readResult(ANYONE, 'FlagType.get', { product })).toEqual(rest.body)
    expect(await readResult(ANYONE, 'FlagType.get', { product, component })).toHaveProperty('bug')
    const all = await readResult(admin, 'Classification.get', { names: ['Unclassified'] })
    expect(all.classifications).toMatchObject([{ name: 'Unclassified' }])
  })
})
