import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/generator/random.ts'
import {
  createTypeFinder,
  type FlagTypeScope,
  findTypesOfAny,
} from '../../../src/tracker/flags/scopes.ts'

const HERE = { id: 11, productId: 1 }
const review = { id: 5, name: 'review' }
const approval = { id: 4, name: 'approval' }

/** A scope written as `+1/11`: sign, product and component, `*` for any. */
function scope(written: string, flagTypeId = review.id): FlagTypeScope {
  const [product, component] = written
    .slice(1)
    .split('/')
    .map((part) => (part === '*' ? null : Number(part)))
  return {
    flagTypeId,
    isExclusion: written.startsWith('-'),
    productId: product ?? null,
    componentId: component ?? null,
  }
}

describe('which flag types a component has', () => {
  test.each([
    [true, 'an inclusion of everything', ['+*/*']],
    [true, 'an inclusion of its product', ['+1/*']],
    [true, 'an inclusion of itself', ['+1/11']],
    [true, 'several inclusions', ['+2/*', '+1/11', '+*/*']],
    [false, 'no scope at all', []],
    [false, 'an inclusion of another product', ['+2/*']],
    [false, 'an inclusion of another component', ['+1/12']],
    [false, 'an exclusion alone', ['-2/*']],
    [false, 'an inclusion, and an exclusion of itself', ['+*/*', '-1/11']],
    [false, 'an inclusion of itself, and an exclusion of its product', ['+1/11', '-1/*']],
    [false, 'an inclusion of itself, and an exclusion of everything', ['+1/11', '-*/*']],
    [true, 'an inclusion, and an exclusion of another component', ['+1/*', '-1/12']],
    [true, 'an inclusion, and an exclusion of another product', ['+*/*', '-2/*']],
  ])('%s with %s', (applies, _, scopes) => {
    const typesFor = createTypeFinder(
      [review],
      scopes.map((written) => scope(written)),
    )

    expect(typesFor(HERE)).toEqual(applies ? [review] : [])
  })

  test('keeps types apart and in the order in which they are given', () => {
    const scopes = [scope('+*/*', 5), scope('+1/*', 4), scope('-1/12', 5)]
    const typesFor = createTypeFinder([review, approval], scopes)

    expect(typesFor(HERE)).toEqual([review, approval])
    expect(typesFor({ id: 12, productId: 1 })).toEqual([approval])
    expect(typesFor({ id: 21, productId: 2 })).toEqual([review])
  })

  test('are one list for all components with the same', () => {
    const scopes = [scope('+*/*', 5), scope('+1/*', 4), scope('+1/13', 5), scope('-1/12', 5)]
    const typesFor = createTypeFinder([review, approval], [...scopes, scope('+2/21', 4)])
    const here = typesFor(HERE)

    expect(typesFor({ id: 14, productId: 1 })).toBe(here)
    expect(typesFor({ id: 13, productId: 1 })).toBe(here)
    expect(typesFor({ id: 21, productId: 2 })).toBe(here)
    expect(typesFor({ id: 12, productId: 1 })).not.toBe(here)
    expect(typesFor({ id: 22, productId: 2 })).toBe(typesFor({ id: 31, productId: 3 }))
  })

  test('are the same as the rules say, whatever the scopes', () => {
    const draw = createRandom(7)
    const types = [3, 1, 2, 5, 4].map((id) => ({ id }))
    const components = [1, 2, 3].flatMap((productId) =>
      [1, 2, 3].map((n) => ({ productId, id: productId * 10 + n })),
    )
    for (let world = 0; world < 200; world += 1) {
      const scopes = Array.from({ length: draw.below(14) }, (): FlagTypeScope => {
        const { productId, id } = draw.pick(components)
        const width = draw.below(3)
        return {
          flagTypeId: 1 + draw.below(6),
          isExclusion: draw.below(3) === 0,
          productId: width === 0 ? null : productId,
          componentId: width === 2 ? id : null,
        }
      })
      const typesFor = createTypeFinder(types, scopes)
      const expected = (component: (typeof components)[number]) => {
        const matching = scopes.filter(
          ({ productId, componentId }) =>
            (productId ?? component.productId) === component.productId &&
            (componentId ?? component.id) === component.id,
        )
        const has = (id: number, isExclusion: boolean) =>
          matching.some((one) => one.flagTypeId === id && one.isExclusion === isExclusion)
        return types.filter(({ id }) => has(id, false) && !has(id, true))
      }
      for (const component of components) {
        expect(typesFor(component)).toEqual(expected(component))
      }
      expect(findTypesOfAny(types, scopes, components)).toEqual(
        new Set(components.flatMap(expected)),
      )
    }
  })
})
