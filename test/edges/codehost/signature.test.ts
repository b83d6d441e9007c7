import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { ping } from '../../support/builders/codehost-events.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { insertBot, sendEvent, signEvent } from '../../support/codehost.ts'
import { loadRow } from '../../support/database/execute.ts'

const BODY = JSON.stringify(ping)

const bot = await insertBot()

const sendPing = (who: Pick<TestPerson, 'key'>, more: Parameters<typeof sendEvent>[3] = {}) =>
  sendEvent(who, 'push_comment', BODY, { event: 'ping', ...more })

const statusOf = async (who: Pick<TestPerson, 'key'>, more?: Parameters<typeof sendEvent>[3]) =>
  (await sendPing(who, more)).status

describe('a signature is refused', () => {
  test.each<[string, (right: string) => string | Promise<string>]>([
    ['that is forged', () => `sha256=${'0'.repeat(64)}`],
    ['with another key', () => signEvent('another key', BODY)],
    ['with no key', () => signEvent('x', BODY)],
    ['of another body', () => signEvent(bot.key, `${BODY} `)],
    ['of the same JSON, serialised anew', () => signEvent(bot.key, JSON.stringify(ping, null, 2))],
    ['that is truncated', (right) => right.slice(0, -1)],
    ['that is too long', (right) => `${right}0`],
    ['in capitals', (right) => `sha256=${right.slice(7).toUpperCase()}`],
    ['without its algorithm', (right) => right.slice(7)],
    ['of an older algorithm', (right) => right.replace('sha256=', 'sha1=')],
    ['that is empty', () => ''],
    ['of the hash of the key', async () => signEvent(await hashOf(bot), BODY)],
  ])('%s', async (_, make) => {
    const signature = await make(await signEvent(bot.key, BODY))
    const answer = await sendPing(bot, { signature })
    expect(answer).toMatchObject({ status: 400, body: { error: 1, code: 32000 } })
    expect(answer.body.message).toContain('signature')
  })

  test('when the body is altered on its way, even by white space', async () => {
    const signature = await signEvent(bot.key, BODY)
    const answer = await sendEvent(bot, 'push_comment', `${BODY}\n`, { event: 'ping', signature })
    expect(answer.status).toBe(400)
  })
})

async function hashOf({ id }: TestPerson): Promise<string> {
  return String((await loadRow('api_keys', sql`user_id = ${id}`))?.hash)
}

describe('fifty keys', () => {
  let bots: TestPerson[]

  beforeAll(async () => {
    bots = await Promise.all(Array.from({ length: 50 }, () => insertBot()))
  })

  test('each sign for their owner, in one round trip, and are decrypted once', async () => {
    const decrypt = vi.spyOn(crypto.subtle, 'decrypt')
    for (const one of bots) {
      expect(await sendPing(one)).toMatchObject({ status: 200, trips: 1 })
    }
    const first = decrypt.mock.calls.length
    expect(first).toBeGreaterThanOrEqual(50)
    for (const one of bots) {
      expect(await statusOf(one)).toBe(200)
    }
    expect(await sendPing({ key: 'nobody' })).toMatchObject({ status: 400, trips: 1 })
    expect(decrypt).toHaveBeenCalledTimes(first)
  })

  test('are searched only when that of the hook does not match, which counts as a guess', async () => {
    const [one = bot, other = bot] = bots
    const guesses: string[] = []
    const GUESSES = {
      limit: async ({ key }: { key: string }) => {
        guesses.push(key)
        return { success: guesses.length < 3 }
      },
    }
    const sendFrom = (who: TestPerson, hook: string) =>
      sendPing(who, { bindings: { GUESSES }, headers: { 'x-github-hook-id': hook } })
    expect((await sendFrom(one, 'a')).status).toBe(200)
    expect((await sendFrom(one, 'a')).status).toBe(200)
    expect((await sendFrom(one, 'a')).status).toBe(200)
    expect(guesses).toHaveLength(1)
    expect((await sendFrom(other, 'a')).status).toBe(200)
    expect((await sendFrom(one, 'a')).status).toBe(429)
    expect((await sendFrom(other, 'a')).status).toBe(200)
  })

  test('cost guesses in proportion to the bytes that are to be hashed', async () => {
    let guesses = 0
    const GUESSES = {
      limit: async () => {
        guesses += 1
        return { success: true }
      },
    }
    const body = 'x'.repeat(8 * 1024 * 1024)
    const signature = `sha256=${'0'.repeat(64)}`
    await sendEvent(bot, 'push_comment', body, { signature, bindings: { GUESSES } })
    expect(guesses).toBeGreaterThan(6)
  })
})
