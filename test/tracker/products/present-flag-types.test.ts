import { sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertComponent, insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { ANYONE, get, type Sender } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'

async function readProduct(place: TestProduct, who: Sender = ANYONE) {
  return (await get(who, `/rest/product/${place.id}`)).body.products[0]
}

describe('the flag types of a component', () => {
  test('have exactly the keys of the contract, inactive ones too', async () => {
    const place = await insertProduct()
    const granting = await insertGroup()
    const requesting = await insertGroup()
    const open = await insertFlagType({}, [{ productId: place.id }])
    const limited = await insertFlagType(
      {
        target: 'attachment',
        ccList: 'ann@example.test, bob@example.test',
        sortKey: 9,
        isActive: false,
        isRequestable: false,
        isRequesteeble: false,
        isMultiplicable: false,
        grantGroupId: granting.id,
        requestGroupId: requesting.id,
      },
      [{ productId: place.id }],
    )

    expect((await readProduct(place)).components[0].flag_types).toEqual({
      bug: [
        {
          id: open.id,
          name: open.name,
          description: `What ${open.name} is for`,
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
          description: `What ${limited.name} is for`,
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
    const other = await insertComponent(place, { name: 'ZZ other', defaultAssigneeId })
    const here = { productId: place.id }
    await insertFlagType({ name: 'whole product' }, [here])
    await insertFlagType({ name: 'Another', sortKey: 1 }, [here])
    await insertFlagType({ name: 'first', sortKey: 0 }, [here])
    await insertFlagType({ name: 'one component' }, [{ ...here, componentId: other }])
    await insertFlagType(
      {
        name: 'but one component',
      },
      [here, { ...here, isExclusion: true, componentId: other }],
    )
    await insertFlagType({ name: 'elsewhere' }, [{ productId: elsewhere.id }])
    const everywhere = await insertFlagType({ name: 'everywhere but elsewhere', sortKey: 2 }, [
      { isExclusion: false },
      { isExclusion: true, productId: elsewhere.id },
    ])
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
