import { describe, expect, test } from 'vitest'
import { runInPasswordTurn } from '../../../src/platform/access/password-turns.ts'
import { uniqueName } from '../../support/builders/unique.ts'

/** Starts so many verifications at once, and counts how many of them run at the same time. */
async function runMany(addresses: string[]) {
  let running = 0
  let most = 0
  const verify = async () => {
    running += 1
    most = Math.max(most, running)
    await scheduler.wait(5)
    running -= 1
  }
  const outcomes = await Promise.allSettled(
    addresses.map((address) => runInPasswordTurn(address, verify)),
  )
  const refused = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason.kind.name] : [],
  )
  return { most, refused }
}

describe('verifications of passwords', () => {
  test('of one address are refused with 429 beyond the eighth, those of others still wait', async () => {
    const [one, other] = [uniqueName('address'), uniqueName('address')]
    const { most, refused } = await runMany([...Array<string>(11).fill(one), other])
    expect(most).toBe(1)
    expect(refused).toEqual(Array(3).fill('passwordsThrottled'))
  })

  test('of many addresses are refused with 503 beyond the sixteenth', async () => {
    // still counts, because a pause follows it
    await runInPasswordTurn(uniqueName('address'), async () => {})
    const addresses = Array.from({ length: 17 }, () => uniqueName('address'))
    expect((await runMany(addresses)).refused).toEqual(['passwordsBusy', 'passwordsBusy'])
  })
})
