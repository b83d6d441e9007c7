import { expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import { codehostPushes } from '../../../src/platform/db/schema/codehost.ts'
import { isWaiting, type OutboxState, stateOf } from '../../../src/platform/outbox/states.ts'

const NOW = 1000
const NEVER_TRIED = { attempts: 0, leaseUntil: null, doneAt: null, lastError: null }

test.each<[OutboxState, string, Partial<Parameters<typeof stateOf>[0]>]>([
  ['scheduled', 'was never tried', {}],
  ['scheduled', 'has all attempts ahead once more', { lastError: 'failed' }],
  ['leased', 'is under a claim', { attempts: 1, leaseUntil: NOW + 1 }],
  ['retrying', 'failed', { attempts: 1, lastError: 'failed' }],
  ['retrying', 'lost its worker', { attempts: 1, leaseUntil: NOW }],
  ['delivered', 'is done', { attempts: 2, doneAt: NOW }],
  ['given up', 'ended with an error', { attempts: 2, doneAt: NOW, lastError: 'failed' }],
])('a row is %s that %s', (state, _, columns) => {
  expect(stateOf({ ...NEVER_TRIED, ...columns }, NOW)).toBe(state)
})

test('a row waits that is neither done nor leased', () => {
  const { sql, params } = compile(isWaiting(codehostPushes, NOW))
  expect(sql).toContain('codehost_pushes.done_at IS NULL')
  expect(sql).toContain('codehost_pushes.lease_until <= ?1')
  expect(params).toEqual([NOW])
})
