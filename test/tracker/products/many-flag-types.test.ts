import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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

describe('products whose flag types are some megabytes', () => {
  test('are written while they are sent, and have what others have', async () => {
    const [large, small] = [await insertProduct(), await insertProduct()]
    onTestFinished(await insertFlagTypesOfComponents(large, { components: 30, types: 201 }))
    const readBoth = async (query: string) => {
      const { status, body, headers } = await get(
        ANYONE,
        `/rest/product?ids=${large.id},${small.id}&${query}`,
      )
      expect(status).toBe(200)
      return { products: body.products, tag: headers.get('etag') }
    }
    const streamed = await readBoth('')
    const whole = await readBoth('exclude_fields=components.flag_types')

    expect(streamed.tag).toBeNull()
    expect(whole.tag).not.toBeNull()
    const counts = streamed.products.flatMap(({ components }: { components: Component[] }) =>
      components.map(({ flag_types: on }) => [on?.bug.length, on?.attachment.length]),
    )
    expect(counts).toEqual([...Array(31).fill([101, 100]), [0, 0]])
    expect(withoutTypes(streamed.products)).toEqual(whole.products)
    const { products } = await readBoth('include_fields=components.flag_types')
    expect(Object.keys(products[0])).toEqual(['components'])
    expect(products[0].components[0]).toEqual({
      flag_types: streamed.products[0].components[0].flag_types,
    })
  })
})

type Component = { flag_types?: { bug: object[]; attachment: object[] } }

function withoutTypes(products: { components: Component[] }[]) {
  return products.map(({ components, ...product }) => ({
    ...product,
    components: components.map(({ flag_types: _, ...component }) => component),
  }))
}
