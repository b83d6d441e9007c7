import { expect, test } from 'vitest'
import { omitUndefined } from '../../../src/platform/lib/omit-undefined.ts'

test('drops the members without a value and keeps null and other empty ones', () => {
  const kept = omitUndefined({ a: undefined, b: null, c: '', d: 0, e: false })
  expect(Object.entries(kept)).toEqual([
    ['b', null],
    ['c', ''],
    ['d', 0],
    ['e', false],
  ])
})
