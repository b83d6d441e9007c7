import { sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { db } from '../../src/db/client.ts'
import { components } from '../../src/db/schema/components.ts'
import { flagTypeScopes, flagTypes } from '../../src/db/schema/flags.ts'
import { newestId } from '../../src/db/sql.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestProduct } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../support/client.ts'
import { executeBatch } from '../support/database/execute.ts'

async function readProduct(place: TestProduct, who: Sender = ANYONE) {
  return (await get(who, `/rest/product/${place.id}`)).body.products[0]
}

async function addComponent(
  place: TestProduct,
  more: Partial<typeof components.$inferInsert> & { defaultAssigneeId: number },
): Promise<number> {
  const name = more.name ?? uniqueName('Part')
  const [rows] = await executeBatch(
    db
      .insert(components)
      .values({ productId: place.id, name, nameFold: name.toLowerCase(), description: '', ...more })
      .returning({ id: components.id }),
  )
  return Number(rows?.[0]?.id)
}

type ScopeRow = Omit<typeof flagTypeScopes.$inferInsert, 'flagTypeId'>

async function addFlagType(
  scopes: ScopeRow[],
  more: Partial<typeof flagTypes.$inferInsert> = {},
): Promise<{ id: number; name: string }> {
  const name = more.name ?? uniqueName('flag')
  const [rows] = await executeBatch(
    db
      .insert(flagTypes)
      .values({ name, description: `What ${name} asks`, target: 'bug', ...more })
      .returning({ id: flagTypes.id }),
    ...scopes.map((scope) =>
      db.insert(flagTypeScopes).values({ flagTypeId: newestId(flagTypes), ...scope }),
    ),
  )
  return { id: Number(rows?.[0]?.id), name }
}

describe('the flag types of a component', () => {
  test('have exactly the keys of the contract, inactive ones too', async () => {
    const place = await insertProduct()
    const granting = await insertGroup()
    const requesting = await insertGroup()
    const open = await addFlagType([{ isExclusion: false, productId: place.id }])
    const limited = await addFlagType([{ isExclusion: false, productId: place.id }], {
      target: 'attachment',
      ccList: 'ann@example.test, bob@example.test',
      sortKey: 9,
      isActive: false,
      isRequestable: false,
      isRequesteeble: false,
      isMultiplicable: false,
      grantGroupId: granting.id,
      requestGroupId: requesting.id,
    })

    expect((await readProduct(place)).components[0].flag_types).toEqual({
      bug: [
        {
          id: open.id,
          name: open.name,
          description: `What ${open.name} asks`,
          cc_list: '',
          sort_key: 1,
          is_active: true,
          is_requestable: true,
          is_requesteeble: true,
          is_multiplicable: true,
          grant_group: null,
          request_group: null,
        },
      ],
      attachment: [
        {
          id: limited.id,
          name: limited.name,
          description: `What ${limited.name} asks`,
          cc_list: 'ann@example.test, bob@example.test',
          sort_key: 9,
          is_active: false,
          is_requestable: false,
          is_requesteeble: false,
          is_multiplicable: false,
          grant_group: granting.id,
          request_group: requesting.id,
        },
      ],
    })
  })

  test('are those included for it and not excluded, by sort key and then by name', async () => {
    const { id: defaultAssigneeId } = await insertPerson()
    const place = await insertProduct()
    const elsewhere = await insertProduct()
    const other = await addComponent(place, { name: 'ZZ other', defaultAssigneeId })
    const here = { isExclusion: false, productId: place.id }
    await addFlagType([here], { name: 'whole product' })
    await addFlagType([here], { name: 'Another', sortKey: 1 })
    await addFlagType([here], { name: 'first', sortKey: 0 })
    await addFlagType([{ ...here, componentId: other }], { name: 'one component' })
    await addFlagType([here, { ...here, isExclusion: true, componentId: other }], {
      name: 'but one component',
    })
    await addFlagType([{ isExclusion: false, productId: elsewhere.id }], { name: 'elsewhere' })
    const everywhere = await addFlagType(
      [{ isExclusion: false }, { isExclusion: true, productId: elsewhere.id }],
      { name: 'everywhere but elsewhere', sortKey: 2 },
    )
    // It applies to the products of all other tests.
    onTestFinished(async () => {
      await executeBatch(sql`DELETE FROM flag_type_scopes WHERE flag_type_id = ${everywhere.id}`)
    })
    const namesOf = async (which: TestProduct) =>
      (await readProduct(which)).components.map(
        (each: { flag_types: { bug: { name: string }[] } }) =>
          each.flag_types.bug.map(({ name }) => name),
      )

    expect(await namesOf(place)).toEqual([
      ['first', 'Another', 'but one component', 'whole product', 'everywhere but elsewhere'],
      ['first', 'Another', 'one component', 'whole product', 'everywhere but elsewhere'],
    ])
    expect(await namesOf(elsewhere)).toEqual([['elsewhere']])
  })
})
