import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestProduct } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/**
 * The cost of reading one product must depend on its own size, not on the 500 products with 2,000 components
 * beside it.
 */

const PRODUCTS = 500
const COMPONENTS = 2_000

/** Every request that reads one product; `{id}` and `{name}` are of the product. */
const READS = [
  '/rest/product/{id}',
  '/rest/product/{name}',
  '/rest/product?ids={id}&names={name}',
  '/rest/product/{id}?include_fields=id,name',
  '/rest/product/{id}?include_fields=components.name,components.flag_types',
  '/rest/product/{id}?type=enterable',
  '/rest/field/bug/version/{id}/values',
  '/rest/field/bug/component/{id}/values',
  '/rest/field/bug/target_milestone/{id}/values',
]

const before = new Map<string, number>()

/** The numbers from 1 to `count`, as the table `n`. */
function numbers(count: number): SQL {
  return sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
}

/** So many more components, versions and milestones in a product, each component with a flag type. */
async function fill(place: TestProduct, count: number): Promise<void> {
  const assignee = await insertPerson()
  const word = uniqueName('part')
  await execute(
    sql`${numbers(count)} INSERT INTO components
        (product_id, name, name_fold, description, default_assignee_id)
      SELECT ${place.id}, ${word} || i, ${word} || i, 'x', ${assignee.id} FROM n`,
    sql`${numbers(count)} INSERT INTO versions (product_id, name, name_fold)
      SELECT ${place.id}, ${word} || i, ${word} || i FROM n`,
    sql`${numbers(count)} INSERT INTO milestones (product_id, name, name_fold)
      SELECT ${place.id}, ${word} || i, ${word} || i FROM n`,
    sql`${numbers(count)} INSERT INTO flag_types (name, description, target)
      SELECT ${word} || i, 'x', 'bug' FROM n`,
    sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id, component_id)
      SELECT t.id, 0, ${place.id}, c.id FROM flag_types t
      JOIN components c ON c.product_id = ${place.id} AND c.name = t.name
      WHERE t.name >= ${word} AND t.name < ${`${word}~`}`,
  )
}

/** Hundreds of products with everything in them, some of them restricted to a group. */
async function crowd(): Promise<void> {
  const assignee = await insertPerson()
  const circle = await insertGroup()
  const word = uniqueName('crowd')
  const own = sql`products.name >= ${word} AND products.name < ${`${word}~`}`
  await execute(
    sql`${numbers(PRODUCTS)} INSERT INTO products
        (classification_id, name, name_fold, description, created_at)
      SELECT 1, ${word} || i, ${word} || i, 'x', 0 FROM n`,
    sql`${numbers(COMPONENTS / PRODUCTS)} INSERT INTO components
        (product_id, name, name_fold, description, default_assignee_id)
      SELECT products.id, 'c' || i, 'c' || i, 'x', ${assignee.id} FROM n JOIN products ON ${own}`,
    sql`${numbers(4)} INSERT INTO versions (product_id, name, name_fold)
      SELECT products.id, 'v' || i, 'v' || i FROM n JOIN products ON ${own}`,
    sql`${numbers(4)} INSERT INTO milestones (product_id, name, name_fold)
      SELECT products.id, 'm' || i, 'm' || i FROM n JOIN products ON ${own}`,
    sql`INSERT INTO group_controls (product_id, group_id, entry, membercontrol, othercontrol)
      SELECT products.id, ${circle.id}, 1, 3, 3 FROM products WHERE ${own} AND products.id % 3 = 0`,
    sql`INSERT INTO flag_types (name, description, target)
      SELECT products.name, 'x', 'bug' FROM products WHERE ${own}`,
    sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
      SELECT t.id, 0, products.id FROM flag_types t JOIN products ON products.name = t.name
      WHERE ${own}`,
  )
}

async function rowsRead(sender: Sender, path: string, of: TestProduct): Promise<number> {
  const url = path.replace('{id}', String(of.id)).replace('{name}', of.name)
  const { status, text, cost } = await get(sender, url)
  expect(status, `${url}: ${text.slice(0, 200)}`).toBe(200)
  return cost.read
}

const member = await insertPerson()
const senders: Record<string, Sender> = {
  anyone: ANYONE,
  member,
  editor: await insertPerson({ roles: ['editcomponents'] }),
}
const control = { group: await insertGroup([member]), memberControl: 1 }
const small = await insertProduct({ controls: [control] })
const large = await insertProduct({ controls: [control] })
await fill(small, 10)
await fill(large, 100)
for (const [who, sender] of Object.entries(senders)) {
  for (const path of READS) {
    before.set(`${who} ${path}`, await rowsRead(sender, path, small))
  }
}
await crowd()

describe('reading one product', () => {
  test.each(READS)('costs no row more because of 500 others: %s', async (path) => {
    for (const [who, sender] of Object.entries(senders)) {
      expect(await rowsRead(sender, path, small), who).toBe(before.get(`${who} ${path}`))
    }
  })

  test.each(READS)('reads rows in proportion to the size of the product: %s', async (path) => {
    for (const [who, sender] of Object.entries(senders)) {
      const [few, many] = [await rowsRead(sender, path, small), await rowsRead(sender, path, large)]
      expect(few, who).toBeGreaterThan(0)
      expect(many, `${who}: ${few} rows for a tenth`).toBeLessThanOrEqual(few * 11)
    }
  })
})

describe('reading the whole set-up of 500 products', () => {
  test.each(['/rest/configuration', '/rest/field/bug'])(
    'costs one trip, and 304 for whoever holds it: %s',
    async (path) => {
      for (const sender of Object.values(senders)) {
        const { headers, text, cost } = await get(sender, path)
        const tag = headers.get('etag') ?? ''
        expect(cost.trips).toBe(1)
        expect(tag, `${text.length} characters`).not.toBe('')
        expect((await get(sender, path, { 'if-none-match': tag })).status).toBe(304)
      }
    },
  )

  test('reads rows in proportion to what it shows', async () => {
    const { text, cost } = await get(ANYONE, '/rest/configuration')
    const { components, versions, milestones } = pickShown(JSON.parse(text).product)
    expect(components).toBeGreaterThan(1_000)
    expect(cost.read).toBeLessThan(20 * (components + versions + milestones))
  })
})

type Told = { component: object; version: unknown[]; target_milestone: unknown[] }

function pickShown(products: Record<string, Told>) {
  const all = Object.values(products)
  return {
    components: all.flatMap(({ component }) => Object.keys(component)).length,
    versions: all.flatMap(({ version }) => version).length,
    milestones: all.flatMap((one) => one.target_milestone).length,
  }
}
