import { beforeAll, describe, expect, test } from 'vitest'
import { insertFlagTypesOfComponents } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'

let member: TestPerson
let place: TestProduct

beforeAll(async () => {
  member = await insertPerson()
  const group = await insertGroup([member])
  // hidden from the tests that read all products
  place = await insertProduct({
    controls: [{ group, entry: true, memberControl: 3, otherControl: 3 }],
  })
  return await insertFlagTypesOfComponents(place, { components: 250, types: 201 })
})

const read = (who: Sender, query = '') => get(who, `/rest/product?ids=${place.id}${query}`)

describe('a product whose components have more flag types than one answer lists', () => {
  test('is refused, with what would be answered', async () => {
    for (const path of ['/rest/product', `/rest/product/${place.id}`]) {
      const answer = await get(member, path)

      expectFault(answer, 400, 1001)
      expect(answer.body.message).toMatch(
        /50,000 flag types.*exclude_fields=components\.flag_types/,
      )
      expect(answer.cost.trips).toBeLessThanOrEqual(2)
    }
  })

  test('is refused where nothing but the flag types is asked for', async () => {
    expectFault(await read(member, '&include_fields=components.flag_types'), 400, 1001)
  })

  test('is answered without the flag types', async () => {
    for (const query of [
      'exclude_fields=components.flag_types',
      'include_fields=components.name',
    ]) {
      const { status, body } = await read(member, `&${query}`)

      expect(status).toBe(200)
      expect(body.products[0].components).toHaveLength(251)
      expect(body.products[0].components[0]).not.toHaveProperty('flag_types')
    }
  })

  test('keeps no answer from those who cannot see it', async () => {
    expect((await read(ANYONE)).body).toEqual({ products: [] })
  })
})
