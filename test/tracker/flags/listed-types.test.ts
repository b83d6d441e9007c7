import { expect, test } from 'vitest'
import { NO_COST } from '../../../src/platform/db/session.ts'
import {
  admitListedTypes,
  IDS_OF_TYPES,
  WHOLE_TYPES,
} from '../../../src/tracker/flags/listed-types.ts'

/** The work of one request that lists so many types of each of so many components. */
function listing(components: number, types: number, bound = WHOLE_TYPES) {
  const request = { session: { cost: { ...NO_COST } } } as never
  const list = Array.from({ length: types }, (_, id) => id)
  const asked = Array.from({ length: components }, (_, id) => ({ id, productId: 1 }))
  return () => admitListedTypes(request, asked, () => list, bound)
}

test('50,000 flag types are listed and one more is not', () => {
  expect(listing(500, 100)).not.toThrow()
  expect(listing(1, 50_001)).toThrow(/at most 50,000 flag types/)
})

test('ten times as many IDs are listed', () => {
  expect(listing(500, 1000, IDS_OF_TYPES)).not.toThrow()
  expect(listing(501, 1000, IDS_OF_TYPES)).toThrow(/at most 500,000 IDs/)
})

test('what a request lists adds up', () => {
  const half = listing(1, 25_001)

  expect(half).not.toThrow()
  expect(half).toThrow()
})
