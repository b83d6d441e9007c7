import { expect, test } from 'vitest'
import { faultCodes } from '../../src/platform/faults/faults.ts'
import { pages } from './pages.ts'

test('errors.md lists every fault with its number and status, and no other', () => {
  const rows = (pages['errors.md'] ?? '').matchAll(/^\| (-?\d+) \| (\d{3}) \| `(\w+)` \| \S/gm)
  const listed = [...rows].map(([, code, status, name]) => `${name} ${code} ${status}`)
  const thrown = faultCodes().map(({ name, code, status }) => `${name} ${code} ${status}`)
  expect(listed.toSorted()).toEqual(thrown.toSorted())
})
