import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const [NA, SHOWN, DEFAULT, MANDATORY] = [0, 1, 2, 3]
const PATHS = ['selectable', 'enterable', 'accessible'].map((list) => `/rest/product_${list}`)

const member = await insertPerson()
const stranger = await insertPerson()
const administrator = await insertPerson({ roles: ['admin'] })
const restricted = await insertGroup([member])

/** In which of the three lists somebody finds a product. */
async function lists(who: Sender, id: number) {
  const [selectable, enterable, accessible] = await Promise.all(
    PATHS.map(async (path) => (await get(who, path)).body.ids.includes(id)),
  )
  return { selectable, enterable, accessible }
}

const EVERY_LIST = { selectable: true, enterable: true, accessible: true }

describe('GET /product_accessible, _enterable and _selectable', () => {
  test('lists a product without group controls to everybody, in all three lists', async () => {
    const { id } = await insertProduct({ assignee: member })

    for (const who of [ANYONE, stranger, member, administrator]) {
      expect(await lists(who, id)).toEqual(EVERY_LIST)
    }
  })

  test('are integers, sorted by product name without regard to case', async () => {
    const made = [
      await insertProduct(),
      await insertProduct(),
      await insertProduct(),
      await insertProduct(),
    ]
    const prefix = uniqueName('order')
    for (const [i, ending] of ['c', 'B', 'a', 'ä'].entries()) {
      const name = `${prefix}${ending}`
      await execute(sql`UPDATE products SET name = ${name}, name_fold = ${name.toLowerCase()}
        WHERE id = ${made[i]?.id}`)
    }
    const expected = [2, 1, 0, 3].map((i) => made[i]?.id)

    for (const path of PATHS) {
      const { body } = await get(ANYONE, path)
      expect(body.ids.filter((id: number) => expected.includes(id))).toEqual(expected)
    }
  })

  test('keeps a product that is closed for new bugs searchable', async () => {
    const { id } = await insertProduct({ isActive: false })

    for (const who of [ANYONE, administrator]) {
      expect(await lists(who, id)).toEqual({ ...EVERY_LIST, enterable: false })
    }
  })

  test.each(['components', 'versions'])(
    'answers lets nobody file in a product without active %s',
    async (part) => {
      const { id } = await insertProduct()
      await execute(sql`UPDATE ${sql.raw(part)} SET is_active = 0 WHERE product_id = ${id}`)

      expect(await lists(administrator, id)).toEqual({ ...EVERY_LIST, enterable: false })

      await execute(sql`UPDATE ${sql.raw(part)} SET is_active = 1
      WHERE id = (SELECT min(id) FROM ${sql.raw(part)} WHERE product_id = ${id})`)

      expect(await lists(ANYONE, id)).toEqual(EVERY_LIST)
    },
  )

  test('takes one round trip, and one more for a caller seen for the first time', async () => {
    for (const path of PATHS) {
      expect((await get(ANYONE, path)).cost).toMatchObject({ trips: 1, statements: 1 })
      expect((await get(member, path)).cost.trips).toBe(1)
      expect((await get(await insertPerson(), path)).cost.trips).toBe(2)
    }
  })
})

describe('GET /product_accessible, _enterable and _selectable', () => {
  test('rejects a key that nobody has', async () => {
    for (const path of PATHS) {
      expectFault(await get({ key: 'lw0000000000' }, path), 400, 306)
    }
  })

  test('rejects every method but GET', async () => {
    for (const path of PATHS) {
      expectFault(await post(administrator, path, {}), 405, 32614)
    }
  })

  test('rejects anonymous callers where the site requires a login', async () => {
    for (const path of PATHS) {
      const request = new Request(`https://tracker.test${path}`)
      const strict = { ...env, REQUIRE_LOGIN: 'on' as const }
      const response = await app.fetch(request, strict, createExecutionContext())

      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ error: true, code: 410 })
    }
  })
})

describe('GET /product_accessible, _enterable and _selectable', () => {
  /** Every legal pair of controls, and whether somebody outside the group may still search. */
  describe.each([
    ['NA/NA', NA, NA, true],
    ['shown/NA', SHOWN, NA, true],
    ['shown/shown', SHOWN, SHOWN, true],
    ['shown/default', SHOWN, DEFAULT, true],
    ['shown/mandatory', SHOWN, MANDATORY, true],
    ['default/NA', DEFAULT, NA, true],
    ['default/default', DEFAULT, DEFAULT, true],
    ['default/mandatory', DEFAULT, MANDATORY, true],
    ['mandatory/mandatory', MANDATORY, MANDATORY, false],
  ] as const)('a group that is %s', (_, memberControl, otherControl, search) => {
    test.each([
      { entry: false, file: true },
      { entry: true, file: false },
    ])(`lets outsiders search: ${search}, file: $file, with entry $entry`, async (row) => {
      const { entry, file } = row
      const { id } = await insertProduct({
        assignee: member,
        controls: [{ group: restricted, memberControl, otherControl, entry }],
      })
      const forOutsiders = { selectable: search, enterable: file, accessible: search || file }

      expect(await lists(member, id)).toEqual(EVERY_LIST)
      for (const outsider of [ANYONE, stranger, administrator]) {
        expect(await lists(outsider, id)).toEqual(forOutsiders)
      }
    })
  })

  test.each([
    { canEdit: true },
    { editComponents: true },
    { editBugs: true },
    { canConfirm: true },
  ])('hides nothing because of %o alone', async (control) => {
    const { id } = await insertProduct({
      assignee: member,
      controls: [{ group: restricted, ...control }],
    })

    expect(await lists(ANYONE, id)).toEqual(EVERY_LIST)
  })

  test('hides a product from whoever is in one of its groups but not in the other', async () => {
    const other = await insertGroup([stranger])
    const control = { memberControl: MANDATORY, otherControl: MANDATORY, entry: true }
    const { id } = await insertProduct({
      controls: [
        { group: restricted, ...control },
        { group: other, ...control },
      ],
    })
    const both = await insertPerson({ groups: [restricted, other] })

    for (const outsider of [ANYONE, stranger, member, administrator]) {
      expect(await lists(outsider, id)).toEqual({
        selectable: false,
        enterable: false,
        accessible: false,
      })
    }
    expect(await lists(both, id)).toEqual(EVERY_LIST)
  })

  test('hides nothing from administrators whose group was granted membership', async () => {
    const closed = await insertGroup()
    const { id } = await insertProduct({
      controls: [{ group: closed, memberControl: MANDATORY, otherControl: MANDATORY, entry: true }],
    })
    expect(await lists(administrator, id)).toMatchObject({ accessible: false })

    await execute(
      sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
        SELECT id, ${closed.id}, 'membership' FROM access_groups WHERE role = 'admin'`,
      ...recomputeMembershipsStatements([administrator.id]),
    )

    expect(await lists(administrator, id)).toEqual(EVERY_LIST)
    expect(await lists(stranger, id)).toMatchObject({ accessible: false })
  })
})
