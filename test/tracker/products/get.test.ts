import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const MANDATORY = { memberControl: 3, otherControl: 3 }

const member = await insertPerson()
const restricted = await insertGroup([member])

/** The IDs that a path below /rest/product answers, in order. */
async function readIds(path: string, who: Sender = ANYONE): Promise<number[]> {
  const answer = await get(who, `/rest/product${path}`)
  expect(answer.status).toBe(200)
  return answer.body.products.map((each: { id: number }) => each.id)
}

async function renameProduct({ id }: TestProduct, name: string): Promise<void> {
  await execute(
    sql`UPDATE products SET name = ${name}, name_fold = ${name.toLowerCase()} WHERE id = ${id}`,
  )
}

describe('GET /product', () => {
  test('finds a product by its ID or name in the path', async () => {
    const { id, name } = await insertProduct()

    for (const idOrName of [id, name, name.toUpperCase(), `%20${name}%20`]) {
      expect(await readIds(`/${idOrName}`)).toEqual([id])
    }
  })

  test('finds a product whose name needs escaping', async () => {
    const place = await insertProduct()
    const name = uniqueName('Fire & Ice/100% Grün, +1 ')
    await renameProduct(place, name)

    expect(await readIds(`/${encodeURIComponent(name)}`)).toEqual([place.id])
    expect(await readIds(`?names=${encodeURIComponent(name.toUpperCase())}`)).toEqual([place.id])
  })

  test('unites the products of ids, names and path, each once', async () => {
    const [one, two, three] = [await insertProduct(), await insertProduct(), await insertProduct()]
    const everyone = new Set([one.id, two.id, three.id])
    const found = async (path: string) => new Set(await readIds(path))

    expect(await found(`?ids=${one.id}&ids=${two.id}&names=${three.name}`)).toEqual(everyone)
    expect(await found(`?ids=${one.id},${two.id}&ids=${three.id}`)).toEqual(everyone)
    expect(await found(`?names=${one.name}&names=${two.name}&names=${three.name}`)).toEqual(
      everyone,
    )
    expect(await found(`/${one.id}?ids=${two.id}&names=${three.name}`)).toEqual(everyone)
    expect(await readIds(`/get?ids=${one.id}&ids=${one.id}&names=${one.name}`)).toEqual([one.id])
  })

  test('orders products by name', async () => {
    const made = [await insertProduct(), await insertProduct(), await insertProduct()]
    const prefix = uniqueName('order')
    for (const [i, ending] of ['c', 'B', 'a'].entries()) {
      await renameProduct(made[i] as TestProduct, `${prefix}${ending}`)
    }
    const [c, b, a] = made.map(({ id }) => id)

    expect(await readIds(`?ids=${c}&ids=${a}&ids=${b}`)).toEqual([a, b, c])
  })

  test('takes a name with a comma as one name', async () => {
    const [one, two, both] = [await insertProduct(), await insertProduct(), await insertProduct()]
    await renameProduct(both, `${one.name},${two.name}`)

    expect(await readIds(`?names=${one.name},${two.name}`)).toEqual([both.id])
  })

  test('lists everything accessible when nothing is named, or lists are blank', async () => {
    const open = await insertProduct()
    const closed = await insertProduct({ isActive: false })

    for (const path of ['', '?ids=&names=', '?type=accessible', '?type=']) {
      expect(await readIds(path)).toEqual(expect.arrayContaining([open.id, closed.id]))
    }
  })

  test('merges the lists that type names', async () => {
    const entry = { group: restricted, entry: true }
    const toSearch = await insertProduct({ controls: [entry] })
    const toFile = await insertProduct({ controls: [{ group: restricted, ...MANDATORY }] })
    const neither = await insertProduct({ controls: [{ ...entry, ...MANDATORY }] })
    const both = await insertProduct()
    const made = [toSearch, toFile, neither, both].map(({ id }) => id)
    const among = async (query: string) =>
      (await readIds(query)).filter((id) => made.includes(id)).sort((a, b) => a - b)

    expect(await among('?type=selectable')).toEqual([toSearch.id, both.id])
    expect(await among('?type=enterable')).toEqual([toFile.id, both.id])
    for (const merged of [
      '?type=selectable&type=enterable',
      '?type=enterable&type=enterable&type=selectable&type=accessible',
      '?type=accessible',
      '',
    ]) {
      expect(await among(merged)).toEqual([toSearch.id, toFile.id, both.id])
    }
    expect(await readIds(`/${toSearch.name}?type=enterable`)).toEqual([])
    expect(await readIds(`?ids=${made}&type=enterable`)).toHaveLength(2)
  })

  test('answers below /rest.cgi and with a slash at the end', async () => {
    const { id, name } = await insertProduct()
    const answer = await get(ANYONE, `/rest.cgi/product/${name}/?include_fields=id`)

    expect(answer.body).toEqual({ products: [{ id }] })
  })
})

describe('GET /product', () => {
  let place: TestProduct
  beforeAll(async () => {
    place = await insertProduct({ assignee: member })
  })
  const VERSION_NAMES = [{ name: '1.0' }, { name: 'unspecified' }]

  test.each([
    ['include_fields=id', () => ({ id: place.id })],
    ['include_fields=id,name&exclude_fields=id', () => ({ name: place.name })],
    ['include_fields=bogus', () => ({})],
    ['include_fields=components.name', () => ({ components: [{ name: place.component }] })],
    ['include_fields=components.bogus', () => ({ components: [{}] })],
    [
      'include_fields=components.default_assigned_to,components.triage_owner',
      () => ({ components: [{ default_assigned_to: member.login, triage_owner: '' }] }),
    ],
    [
      'include_fields=components.default_bug_type,default_bug_type',
      () => ({ default_bug_type: 'defect', components: [{ default_bug_type: 'defect' }] }),
    ],
    [
      'include_fields=components.flag_types',
      () => ({ components: [{ flag_types: { bug: [], attachment: [] } }] }),
    ],
    [
      'include_fields=versions,milestones&exclude_fields=versions.id,milestones.id,milestones.name',
      () => ({
        versions: VERSION_NAMES.map((version) => ({ ...version, sort_key: 0, is_active: true })),
        milestones: [{ sort_key: 0, is_active: true }],
      }),
    ],
    [
      'include_fields=versions.name&include_fields=milestones.name',
      () => ({ versions: VERSION_NAMES, milestones: [{ name: '---' }] }),
    ],
    ['include_fields=components.name&exclude_fields=components', () => ({})],
    [
      'exclude_fields=components,versions,milestones,description,_bogus',
      () => ({
        id: place.id,
        name: place.name,
        is_active: true,
        default_bug_type: 'defect',
        default_milestone: '---',
        default_version: 'unspecified',
        has_unconfirmed: true,
        classification: 'Unclassified',
      }),
    ],
    ['include_fields=default_version', () => ({ default_version: 'unspecified' })],
    ['include_fields=default_milestone', () => ({ default_milestone: '---' })],
    ['include_fields=classification', () => ({ classification: 'Unclassified' })],
  ])('filters fields: %s', async (query, expected) => {
    const { body } = await get(ANYONE, `/rest/product/${place.id}?${query}`)

    expect(body).toEqual({ products: [expected()] })
  })

  test('gives everything for _all, _default and an empty list', async () => {
    const whole = await get(ANYONE, `/rest/product/${place.id}`)

    for (const all of ['_all', '_default', '']) {
      const { body } = await get(ANYONE, `/rest/product/${place.id}?include_fields=${all}`)
      expect(body).toEqual(whole.body)
    }
  })

  test.each([
    ['id,name', 1],
    ['default_version,default_milestone,classification', 1],
    ['components.name', 2],
    ['versions', 2],
    ['components.flag_types', 4],
    ['_all', 6],
  ])('runs only the statements for them: %s takes %d', async (fields, statements) => {
    const path = `/rest/product/${place.id}?include_fields=${fields}`

    expect((await get(ANYONE, path)).cost).toMatchObject({ trips: 1, statements })
  })
})

describe('GET /product', () => {
  test.each(['visible', 'Selectable', 'selectable,enterable'])(
    'rejects the unknown type %s',
    async (type) => {
      expectFault(await get(ANYONE, `/rest/product?type=${type}`), 400, 53, 'type')
      expectFault(await get(ANYONE, `/rest/product/1?type=enterable&type=${type}`), 400, 53, 'type')
    },
  )

  test('rejects a key that nobody has', async () => {
    expectFault(await get({ key: 'lw0000000000' }, '/rest/product/1'), 400, 306)
  })
})
