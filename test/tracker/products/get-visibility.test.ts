import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const MANDATORY = { memberControl: 3, otherControl: 3 }

const member = await insertPerson()
const stranger = await insertPerson()
const administrator = await insertPerson({ roles: ['admin'] })
const restricted = await insertGroup([member])

/** The IDs that a path below /rest/product answers, in order. */
async function readIds(path: string, who: Sender = ANYONE): Promise<number[]> {
  const answer = await get(who, `/rest/product${path}`)
  expect(answer.status).toBe(200)
  return answer.body.products.map((each: { id: number }) => each.id)
}

describe('GET /product', () => {
  test('hides what does not exist or is no ID, beside what does', async () => {
    const { id } = await insertProduct()

    for (const path of ['/0', '/-1', '/99999999', '/999999999999999999999', '/%00', '/get']) {
      expect(await readIds(path)).toEqual([])
    }
    expect(await readIds('?ids=bogus')).toEqual([])
    expect(await readIds('?ids=1e3&ids=-1&ids=0x1')).toEqual([])
    expect(
      await readIds(`?ids=bogus&ids=${id}&ids=99999999&names=nothing%20of%20the%20kind`),
    ).toEqual([id])
  })

  test.each([
    { what: 'without restrictions', control: {}, seen: true },
    { what: 'with entry, which all may search', control: { entry: true }, seen: true },
    { what: 'with a mandatory group, in which all may file', control: MANDATORY, seen: true },
    { what: 'with both', control: { entry: true, ...MANDATORY }, seen: false },
  ])('hides a product $what, so that outsiders see it: $seen', async ({ control, seen }) => {
    const place = await insertProduct({ controls: [{ group: restricted, ...control }] })
    const paths = [`/${place.id}`, `/${place.name}`, `?ids=${place.id}`, `?names=${place.name}`]

    for (const path of paths) {
      expect(await readIds(path, member)).toEqual([place.id])
      for (const outsider of [ANYONE, stranger, administrator]) {
        expect(await readIds(path, outsider)).toEqual(seen ? [place.id] : [])
      }
    }
    expect((await readIds('', member)).includes(place.id)).toBe(true)
    for (const outsider of [ANYONE, stranger, administrator]) {
      expect((await readIds('', outsider)).includes(place.id)).toBe(seen)
    }
  })

  test('hides a hidden product exactly as one that does not exist', async () => {
    const hidden = await insertProduct({
      controls: [{ group: restricted, entry: true, ...MANDATORY }],
    })
    const [there, nowhere] = [
      await get(stranger, `/rest/product/${hidden.name}`),
      await get(stranger, `/rest/product/${hidden.name}x`),
    ]

    expect(there.status).toBe(nowhere.status)
    expect(there.text).toBe(nowhere.text)
  })
})

describe('GET /product', () => {
  test('takes one round trip for an anonymous caller and two for others, for any number of products', async () => {
    const made = [await insertProduct(), await insertProduct(), await insertProduct()]
    const ids = [...made.map(({ id }) => id), ...Array.from({ length: 500 }, (_, i) => 10 ** 6 + i)]

    for (const path of [`/rest/product?ids=${ids}`, '/rest/product']) {
      expect((await get(ANYONE, path)).cost).toMatchObject({ trips: 1, statements: 6 })
      expect((await get(member, path)).cost.trips).toBe(1)
    }
  })

  test('costs as many rows for one product however many others there are', async () => {
    const place = await insertProduct({
      controls: [{ group: restricted, entry: true, ...MANDATORY }],
    })
    const paths = [
      `/rest/product/${place.id}`,
      `/rest/product/${place.name}`,
      `/rest/product?ids=${place.id}&type=selectable`,
      `/rest/product?names=${place.name}&type=enterable`,
      `/rest/product/${place.name}?include_fields=components.name`,
    ]
    const readings = async () => {
      const rows: number[] = []
      for (const who of [ANYONE, member]) {
        for (const path of paths) {
          rows.push((await get(who, path)).cost.read)
        }
      }
      return rows
    }
    // At the end of an index there is no next row to stop at, so some neighbours come first.
    await addCrowd(2)
    const before = await readings()
    await addCrowd(100)

    expect(Math.min(...before)).toBeGreaterThan(0)
    expect(Math.max(...before)).toBeLessThan(150)
    expect(await readings()).toEqual(before)
  })
})

/** Other products, each with components, versions, milestones, a group control and flag types. */
async function addCrowd(size: number): Promise<void> {
  const prefix = uniqueName('crowd')
  const crowd = sql`(SELECT id FROM products WHERE instr(name, ${prefix}) = 1)`
  const numbers = jsonList(Array.from({ length: size }, (_, i) => i))
  const tens = jsonList(Array.from({ length: 10 }, (_, i) => i))
  const perProduct = sql`FROM ${crowd} p, ${tens} n`
  await execute(
    sql`INSERT INTO products (classification_id, name, name_fold, description, created_at)
      SELECT 1, ${prefix} || value, ${prefix} || value, '', 0 FROM ${numbers}`,
    sql`INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      SELECT p.id, 'c' || n.value, 'c' || n.value, '', ${member.id} ${perProduct}`,
    ...['versions', 'milestones'].map(
      (table) => sql`INSERT INTO ${sql.raw(table)} (product_id, name, name_fold)
        SELECT p.id, n.value, n.value ${perProduct}`,
    ),
    sql`INSERT INTO group_controls (product_id, group_id, entry)
      SELECT p.id, ${restricted.id}, 1 FROM ${crowd} p`,
    sql`INSERT INTO flag_types (name, description, target)
      SELECT ${prefix} || value, '', 'bug' FROM ${numbers}`,
    sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
      SELECT t.id, 0, p.id FROM flag_types t JOIN products p ON p.name = t.name
      WHERE instr(t.name, ${prefix}) = 1`,
  )
}
