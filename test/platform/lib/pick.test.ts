import { expect, test } from 'vitest'
import { pick } from '../../../src/platform/lib/pick.ts'

test('the named members are picked in the order of their names, and no others', () => {
  const picked = pick({ a: 1, b: 2, c: 3 }, 'c', 'a')
  expect(Object.entries(picked)).toEqual([
    ['c', 3],
    ['a', 1],
  ])
})
