import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const member = await insertPerson()
const stranger = await insertPerson()
const editor = await insertPerson({ roles: ['editclassifications'] })
const restricted = await insertGroup([member])
const controls = [{ group: restricted, entry: true, memberControl: 3, otherControl: 3 }]
const open = await insertProduct()
const hidden = await insertProduct({ controls })
const secretProduct = await insertProduct({ controls })
/** Holds both products, and after it one with the hidden product of its own, and one with none. */
const mixed = await classification(20, open, hidden)
const secret = await classification(10, secretProduct)
const empty = await classification(30)

async function classification(sortKey: number, ...places: TestProduct[]) {
  const name = uniqueName('Works & Co ')
  const [row] =
    await execute(sql`INSERT INTO classifications (name, name_fold, description, sort_key)
    VALUES (${name}, ${name.toLowerCase()}, 'What it is for', ${sortKey}) RETURNING id`)
  const id = Number(row?.id)
  for (const place of places) {
    await execute(sql`UPDATE products SET classification_id = ${id} WHERE id = ${place.id}`)
  }
  return { id, name }
}

async function readClassifications(path: string, who: Sender = ANYONE) {
  const answer = await get(who, `/rest/classification${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.classifications
}

function named(...names: string[]): string {
  return new URLSearchParams(names.map((name) => ['names', name])).toString()
}

describe('GET /classification', () => {
  test('finds a classification by its ID or name, with its products', async () => {
    const whole = {
      id: mixed.id,
      name: mixed.name,
      description: 'What it is for',
      sort_key: 20,
      products: [{ id: open.id, name: open.name, description: `What ${open.name} is` }],
    }

    for (const idOrName of [mixed.id, mixed.name, mixed.name.toUpperCase(), ` ${mixed.name} `]) {
      expect(await readClassifications(`/${encodeURIComponent(idOrName)}`)).toEqual([whole])
    }
  })

  test('lists products by name', async () => {
    const [{ products }] = await readClassifications(
      `/${mixed.id}?include_fields=products.name`,
      member,
    )
    const names = [open.name, hidden.name].sort((a, b) =>
      a.toLowerCase() < b.toLowerCase() ? -1 : 1,
    )

    expect(products).toEqual(names.map((name) => ({ name })))
  })

  test('lists all, or those of ids and names, each once and in their order', async () => {
    const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)

    expect(
      ids(
        await readClassifications(
          `/${mixed.id}?ids=${mixed.id}&${named(mixed.name, secret.name)}`,
          member,
        ),
      ),
    ).toEqual([secret.id, mixed.id])
    const everything = ids(await readClassifications('', member))
    expect(everything).toEqual(expect.arrayContaining([1, secret.id, mixed.id]))
    expect(everything.indexOf(secret.id)).toBeLessThan(everything.indexOf(mixed.id))
  })

  test.each([
    ['include_fields=id,name', () => ({ id: mixed.id, name: mixed.name }), 1],
    ['include_fields=products.id', () => ({ products: [{ id: open.id }] }), 2],
    ['exclude_fields=products,description', () => ({ ...mixed, sort_key: 20 }), 1],
  ])('answers only the wanted fields: %s', async (query, expected, statements) => {
    const { body, cost } = await get(ANYONE, `/rest/classification/${mixed.id}?${query}`)

    expect(body).toEqual({ classifications: [expected()] })
    expect(cost).toMatchObject({ trips: 1, statements })
  })
})

describe('GET /classification', () => {
  test('rejects one that does not exist', async () => {
    for (const path of ['/0', '/99999999', '/nowhere', `/${mixed.id}?names=nowhere`]) {
      expectFault(await get(ANYONE, `/rest/classification${path}`), 404, 51)
    }
    expectFault(await get(ANYONE, '/rest/classification/nowhere'), 404, 51, 'nowhere')
  })

  test('rejects an ID that is none', async () => {
    expectFault(await get(ANYONE, '/rest/classification?ids=x'), 400, 52, 'ids')
  })
})

describe('GET /classification', () => {
  test('hides products that the caller may not search', async () => {
    for (const outsider of [ANYONE, stranger]) {
      expect(JSON.stringify(await readClassifications('', outsider))).not.toContain(hidden.name)
    }
    for (const insider of [member, editor]) {
      expect(JSON.stringify(await readClassifications('', insider))).toContain(hidden.name)
    }
  })

  test('hides a classification without a product that the caller may search', async () => {
    for (const outsider of [ANYONE, stranger]) {
      for (const { id, name } of [secret, empty]) {
        expectFault(await get(outsider, `/rest/classification/${id}`), 404, 51, String(id))
        expectFault(await get(outsider, `/rest/classification?${named(name)}`), 404, 51, name)
        expect(JSON.stringify(await readClassifications('', outsider))).not.toContain(name)
      }
    }
    expect(await readClassifications(`/${secret.id}`, member)).toMatchObject([secret])
    expectFault(await get(member, `/rest/classification/${empty.id}`), 404, 51)
  })

  test('hides nothing from those who edit classifications', async () => {
    expect(await readClassifications(`/${empty.id}`, editor)).toMatchObject([
      { ...empty, products: [] },
    ])
    expect(await readClassifications(`/${secret.id}`, editor)).toMatchObject([
      { ...secret, products: [{ id: secretProduct.id }] },
    ])
  })
})
