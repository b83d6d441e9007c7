import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ping } from '../../support/builders/codehost-events.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { insertBot, sendEvent } from '../../support/codehost.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const bot = await insertBot()

const sendPing = (who: Pick<TestPerson, 'key'>, more: Parameters<typeof sendEvent>[3] = {}) =>
  sendEvent(who, 'push_comment', ping, { event: 'ping', ...more })

const statusOf = async (who: Pick<TestPerson, 'key'>, more?: Parameters<typeof sendEvent>[3]) =>
  (await sendPing(who, more)).status

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

  test.each([
    ['may only read', { canWrite: false }],
    ['may not administer', { canAdminister: false }],
    ['is for some products', { products: [1] }],
  ])('never when it %s, because a push acts with all rights', async (_, limits) => {
    const { key } = await insertApiKey(await insertBot(), limits)
    expect(await statusOf({ key })).toBe(400)
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
