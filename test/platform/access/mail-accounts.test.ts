import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { mailableAccountCondition } from '../../../src/platform/access/mail-accounts.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'

async function isMailable(
  columns: Record<string, string | number>,
  settings: Record<string, string> = {},
): Promise<boolean> {
  const { id } = await insertPerson()
  for (const [name, value] of Object.entries(columns)) {
    await execute(sql`UPDATE users SET ${sql.raw(name)} = ${value} WHERE id = ${id}`)
  }
  const condition = mailableAccountCondition(readSettings(settings))
  const rows = await execute(sql`SELECT id FROM users WHERE id = ${id} AND ${condition}`)
  return rows.length === 1
}

test('an account with mail on, whose login is an address, may be sent mail', async () => {
  expect(await isMailable({})).toBe(true)
})

test.each([
  ['that is disabled', { login_denied_text: 'gone' }],
  ['that has mail off', { email_enabled: 0 }],
  ['whose login is no address', { login: 'somebody', login_fold: 'somebody' }],
  ['whose login begins with @', { login: '@somebody', login_fold: '@somebody' }],
  ['of a placeholder', { login: 'A@B.INVALID', login_fold: 'a@b.invalid' }],
])('an account %s may not be sent mail', async (_, columns) => {
  expect(await isMailable(columns)).toBe(false)
})

test('the ending that excludes logins is a setting, compared regardless of case, and may be empty', async () => {
  const placeholder = { login: 'a@c.invalid', login_fold: 'a@c.invalid' }
  expect(await isMailable(placeholder, { MAIL_NEVER_TO: '' })).toBe(true)
  expect(await isMailable({}, { MAIL_NEVER_TO: '@EXAMPLE.test' })).toBe(false)
})
