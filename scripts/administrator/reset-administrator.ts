import { hashPassword } from '../../src/platform/lib/crypto/password-hash.ts'
import { seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { fold } from '../../src/platform/lib/text.ts'
import { CommandError } from '../command.ts'
import type { StatementRunner } from '../statement-runner.ts'
import {
  type Administrator,
  type AdministratorChoice,
  LIST_ADMINISTRATORS,
  type Plan,
} from './first-administrator.ts'

/** An account by its login, provided that it is an administrator. */
const ADMINISTRATOR = `SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id
  JOIN access_groups g ON g.id = m.group_id AND g.role = 'admin' WHERE u.login_fold = ?`

/**
 * The statements that give an administrator a new password and one more API key, unlock and enable the
 * account, and end its tokens, its sessions, its second factor and the links of mails to it; other keys stay. They
 * change
 * nothing when no administrator has the login. `now` is in Unix seconds.
 */
async function planReset(
  input: Administrator & { secretsKey: string | null; now: number },
): Promise<Plan> {
  const { apiKey, secretsKey, now } = input
  const login = fold(input.login)
  const hash = await hashPassword(input.password)
  const sealed = secretsKey === null ? null : await seal(apiKey, secretsKey)
  const change = JSON.stringify({ password: { removed: '', added: '' } })
  return {
    create: [
      {
        sql: `UPDATE users SET password_hash = ?, password_change_required = 0, login_denied_text = '',
          revision = revision + 1 WHERE id IN (${ADMINISTRATOR})`,
        params: [hash, login],
      },
      ...['tokens', 'sessions', 'account_links', 'second_factors'].map((table) => ({
        sql: `DELETE FROM ${table} WHERE user_id IN (${ADMINISTRATOR})`,
        params: [login],
      })),
      {
        sql: `DELETE FROM login_failures WHERE login_fold = ?`,
        params: [login],
      },
      {
        sql: `INSERT INTO api_keys (user_id, hash, prefix, sealed, description, created_at)
          SELECT id, ?, ?, ?, 'Reset by the operator', ? FROM (${ADMINISTRATOR})`,
        params: [await sha256Hex(apiKey), apiKey.slice(0, 6), sealed, now, login],
      },
      {
        sql: `INSERT INTO audit_log (happened_at, object_class, object_id, action, changes)
          SELECT ?, 'User', id, 'update', ? FROM (${ADMINISTRATOR})`,
        params: [now, change, login],
      },
    ],
    confirm: { sql: 'SELECT id FROM users WHERE password_hash = ?', params: [hash] },
  }
}

/**
 * Runs the plan on a database. Throws a CommandError that lists the administrators when none has the login, and for an
 * API key that exists already.
 */
export async function resetAdministrator(
  choice: AdministratorChoice,
  secretsKey: string | null,
  { select, run }: StatementRunner,
): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const { create, confirm } = await planReset({ ...choice, secretsKey, now })
  try {
    await run(create)
  } catch (error) {
    throw String(error).includes('UNIQUE constraint failed: api_keys.hash')
      ? new CommandError('ADMIN_API_KEY is the key of an account already: choose another one.')
      : error
  }
  if ((await select(confirm)).length === 0) {
    const rows = await select(LIST_ADMINISTRATORS)
    const logins = rows.map(({ login }) => String(login)).join(', ')
    throw new CommandError(
      `${choice.login} is not an administrator. ${logins === '' ? 'There is none yet.' : `These are: ${logins}.`}`,
    )
  }
}
