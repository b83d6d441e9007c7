import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import {
  insertComponent,
  insertProduct,
  insertProductPart,
} from '../../../support/builders/products.ts'
import { ANYONE } from '../../../support/client.ts'
import { readRefusal, readTool } from '../../../support/clients/mcp.ts'

/** A product that only members of a group may search and file bugs in. */
async function insertHiddenProduct() {
  const member = await insertPerson()
  const group = await insertGroup([member])
  const control = { group, memberControl: 3, otherControl: 3, entry: true }
  return { member, product: await insertProduct({ controls: [control] }) }
}

async function listNames(who: { key?: string }): Promise<string[]> {
  const names: string[] = []
  // other tests make more products than fit into one result
  for (let isLast = false; !isLast; ) {
    const { products } = await readTool(who, 'list_products', { limit: 500, offset: names.length })
    names.push(...products.map(({ name }: { name: string }) => name))
    isLast = products.length === 0
  }
  return names
}

describe('list_products', () => {
  test('lists the products that the caller may use', async () => {
    const { member, product } = await insertHiddenProduct()
    const open = await insertProduct()
    expect(await listNames(ANYONE)).toContain(open.name)
    expect(await listNames(ANYONE)).not.toContain(product.name)
    expect(await listNames(member)).toContain(product.name)
  })
})

describe('get_product', () => {
  test('reads components, and the names of active versions and milestones', async () => {
    const place = await insertProduct()
    await insertProductPart('versions', place, 'old', { isActive: false })
    await insertComponent(place, { defaultAssigneeId: (await insertPerson()).id })
    const given = { product: place.name, limit: 1 }
    const { product, components, note } = await readTool(ANYONE, 'get_product', given)
    expect(product).toMatchObject({
      ...{ name: place.name, versions: ['1.0', 'unspecified'], milestones: ['---'] },
    })
    expect(components).toHaveLength(1)
    expect(note).toBe('1 to 1 of 2 components. For more, call again with offset 1.')
  })

  test('does not reveal whether a hidden product exists', async () => {
    const { member, product } = await insertHiddenProduct()
    const refuse = (name: string) => readRefusal(ANYONE, 'get_product', { product: name })
    expect(await refuse(product.name)).toBe(await refuse('no such product'))
    const read = await readTool(member, 'get_product', { product: product.name })
    expect(read.components).toHaveLength(1)
  })
})

describe('get_field', () => {
  test('reads values, and where statuses may move', async () => {
    const { field, values } = await readTool(ANYONE, 'get_field', { field: 'status' })
    expect(field).toMatchObject({ name: expect.stringContaining('status') })
    const confirmed = values.find(({ name }: { name: string }) => name === 'CONFIRMED')
    expect(confirmed).toMatchObject({ is_open: true })
    expect(confirmed.can_change_to.length).toBeGreaterThan(0)
    expect(await readRefusal(ANYONE, 'get_field', { field: 'nothing' })).toContain('(error 51)')
  })
})
