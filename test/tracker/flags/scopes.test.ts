import { describe, expect, test } from 'vitest'
import { createTypeFinder, type FlagTypeScope } from '../../../src/tracker/flags/scopes.ts'

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
})
