import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ping } from '../support/builders/codehost-events.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import type { TestPerson } from '../support/builders/types.ts'
import { NOW } from '../support/builders/unique.ts'
import { insertBot, sendEvent, signEvent } from '../support/codehost.ts'
import { execute, loadRow } from '../support/database/execute.ts'

const BODY = JSON.stringify(ping)

let bot: TestPerson

beforeAll(async () => {
  bot = await insertBot()
})

afterEach(() => {
  vi.restoreAllMocks()
})

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

describe('a key signs', () => {
  test('only for direct members of the bot group', async () => {
    const person = await insertPerson({ roles: ['admin', 'editbugs'] })
    expect(await statusOf(person)).toBe(400)
    const [indirect, byPattern] = [await insertPerson(), await insertPerson()]
    const group = sql`(SELECT id FROM access_groups WHERE role = 'codehost-webhook-bot')`
    await execute(
      sql`INSERT INTO memberships (user_id, group_id) VALUES (${indirect.id}, ${group})`,
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES (${byPattern.id}, ${group}, 'regexp')`,
    )
    expect(await statusOf(indirect)).toBe(400)
    expect(await statusOf(byPattern)).toBe(400)
  })

  test('for members of the group that the setting names', async () => {
    const member = await insertPerson()
    const { name } = await insertGroup([member])
    const bindings = { CODEHOST_BOT_GROUP: name.toUpperCase() }
    expect(await statusOf(member, { bindings })).toBe(200)
    expect(await statusOf(bot, { bindings })).toBe(400)
  })

  test('no longer from the moment on that it is revoked or expires, or that its owner is disabled or leaves', async () => {
    for (const change of [
      (id: number) => sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${id}`,
      (id: number) => sql`UPDATE api_keys SET expires_at = ${NOW - 1} WHERE user_id = ${id}`,
      (id: number) => sql`UPDATE users SET login_denied_text = 'Gone' WHERE id = ${id}`,
      (id: number) => sql`DELETE FROM group_members WHERE user_id = ${id}`,
    ]) {
      const one = await insertBot()
      expect(await statusOf(one)).toBe(200)
      await execute(change(one.id))
      expect(await statusOf(one)).toBe(400)
    }
  })

  test('and its use is recorded with time and address, at most once an hour', async () => {
    const one = await insertBot()
    const headers = { 'cf-connecting-ip': '192.0.2.77' }
    await sendPing(one, { headers })
    const row = await loadRow('api_keys', sql`user_id = ${one.id}`)
    expect(row).toMatchObject({ last_used_ip: '192.0.2.77' })
    expect(Number(row?.last_used_at)).toBeGreaterThan(NOW - 10)
    await sendPing(one, { headers: { 'cf-connecting-ip': '192.0.2.78' } })
    expect(await loadRow('api_keys', sql`user_id = ${one.id}`)).toEqual(row)
  })
})

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
