import { expect } from 'vitest'
import { type Answer, expectFault } from '../client.ts'
import { loadFootprint } from '../database/footprint.ts'

/** Asserts that a request is refused and that it writes nothing. */
export async function expectRefusal(
  request: () => Promise<Answer>,
  status: number,
  code: number,
  naming?: string,
): Promise<void> {
  const before = await loadFootprint()
  expectFault(await request(), status, code, naming)
  expect(await loadFootprint(), 'nothing is written').toEqual(before)
}
