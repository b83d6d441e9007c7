import { expect, test } from 'vitest'
import { NO_COST } from '../../../src/platform/db/session.ts'
import {
  admitListedTypes,
  IDS_OF_TYPES,
  WHOLE_TYPES,
} from '../../../src/tracker/flags/listed-types.ts'

const SHORT = { name: 'review', description: 'Somebody has to look', ccList: '' }

/** The work of one request that lists so many types of each of so many components. */
function listing(components: number, types: number, type = SHORT, bound = WHOLE_TYPES) {
  const request = { session: { cost: { ...NO_COST } } } as never
  const list = Array.from({ length: types }, () => type)
  const asked = Array.from({ length: components }, (_, id) => ({ id, productId: 1 }))
  return () => admitListedTypes(request, asked, () => list, bound)
}

test('50,000 flag types are listed and one more is not', () => {
  expect(listing(500, 100)).not.toThrow()
  expect(listing(1, 50_001)).toThrow(/at most 50,000 flag types/)
})

test('ten times as many IDs are listed', () => {
  expect(listing(500, 1000, SHORT, IDS_OF_TYPES as never)).not.toThrow()
  expect(listing(501, 1000, SHORT, IDS_OF_TYPES as never)).toThrow(/at most 500,000 IDs/)
})

test('types with long descriptions count as several', () => {
  const long = { ...SHORT, description: 'x'.repeat(65_000) }

  expect(listing(1, 150, long)).not.toThrow()
  expect(listing(1, 160, long)).toThrow(/fewer with long descriptions/)
})

test('what a request lists adds up', () => {
  const half = listing(1, 25_001)

  expect(half).not.toThrow()
  expect(half).toThrow()
})
