import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../src/platform/lib/crypto/password-hash.ts'
import { newApiKey, seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { fold } from '../../src/platform/lib/text.ts'
import { CommandError } from '../command.ts'
import type { Statement, StatementRunner } from '../statement-runner.ts'

export type Administrator = { login: string; password: string; apiKey: string }

/** The credentials of a new administrator, and which of them are generated. */
export type AdministratorChoice = Administrator & {
  generated: { password: boolean; apiKey: boolean }
}

export type Plan = {
  /** To run in this order, as one transaction. They change nothing when there is an administrator. */
  create: Statement[]
  /** Returns one row when this plan created the administrator, and none otherwise. */
  confirm: Statement
}

/** Returns one row when there is an administrator, and none otherwise. */
const FIND_ADMINISTRATOR: Statement = {
  sql: `SELECT m.user_id FROM memberships m JOIN access_groups g ON g.id = m.group_id
    WHERE g.role = 'admin' LIMIT 1`,
  params: [],
}

/** Returns the logins of the ten oldest administrators. */
export const LIST_ADMINISTRATORS: Statement = {
  sql: `SELECT DISTINCT u.login FROM users u JOIN memberships m ON m.user_id = u.id
    JOIN access_groups g ON g.id = m.group_id AND g.role = 'admin' ORDER BY u.id LIMIT 10`,
  params: [],
}

const LOGIN = /^[\w.+\-=]+@[\w.-]+\.[\w-]+$/
const MAX_LOGIN_LENGTH = 127
const MIN_PASSWORD_LENGTH = 8
const API_KEY = /^[!-~]{20,128}$/

/**
 * The credentials in ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY; what is not set is generated. The login of an
 * administrator to reset counts instead of ADMIN_LOGIN. Throws a CommandError that names the variable or option with
 * an unusable value.
 */
export function chooseAdministrator(
  environment: Record<string, string | undefined>,
  loginToReset?: string,
): AdministratorChoice {
  const login = loginToReset ?? (environment.ADMIN_LOGIN || 'admin@example.com')
  const password = environment.ADMIN_PASSWORD || undefined
  const apiKey = environment.ADMIN_API_KEY || undefined
  if (login.length > MAX_LOGIN_LENGTH || !LOGIN.test(login)) {
    const name = loginToReset === undefined ? 'ADMIN_LOGIN' : '--reset-administrator'
    throw new CommandError(`${name} must be an e-mail address.`)
  }
  if (password !== undefined && password.length < MIN_PASSWORD_LENGTH) {
    throw new CommandError(`ADMIN_PASSWORD must have at least ${MIN_PASSWORD_LENGTH} characters.`)
  }
  if (password !== undefined && password.trim() !== password) {
    throw new CommandError('ADMIN_PASSWORD must not begin or end with white space.')
  }
  if (apiKey !== undefined && !API_KEY.test(apiKey)) {
    throw new CommandError(
      'ADMIN_API_KEY must be 20 to 128 visible ASCII characters without spaces.',
    )
  }
  return {
    login,
    password: password ?? randomBytes(12).toString('hex'),
    apiKey: apiKey ?? newApiKey(),
    generated: { password: password === undefined, apiKey: apiKey === undefined },
  }
}

/**
 * The statements that create the first administrator, with an API key, the test product and flag types. Without a
 * `secretsKey` there is no encrypted copy of the API key. `now` is in Unix seconds.
 */
export async function planFirstAdministrator(
  input: Administrator & { secretsKey: string | null; now: number },
): Promise<Plan> {
  const { login, apiKey, secretsKey, now } = input
  // the hash is salted, hence unique: the later statements find the new account by it, or find none
  const hash = await hashPassword(input.password)
  const sealed = secretsKey === null ? null : await seal(apiKey, secretsKey)
  return {
    create: [
      {
        sql: `INSERT INTO users (login, login_fold, password_hash, created_at)
          SELECT ?, ?, ?, ? FROM access_groups g WHERE g.role = 'admin'
            AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.group_id = g.id)`,
        params: [login, fold(login), hash, now],
      },
      {
        sql: `INSERT INTO group_members (user_id, group_id, source)
          SELECT u.id, g.id, 'direct' FROM users u JOIN access_groups g ON g.role = 'admin'
          WHERE u.password_hash = ?`,
        params: [hash],
      },
      {
        // the effective memberships, as access/membership.ts computes them
        sql: `INSERT INTO memberships (user_id, group_id)
          WITH RECURSIVE reached(user_id, group_id) AS (
            SELECT gm.user_id, gm.group_id FROM group_members gm
            JOIN users u ON u.id = gm.user_id WHERE u.password_hash = ?
            UNION
            SELECT reached.user_id, gg.granting_group_id FROM reached
            JOIN group_grants gg ON gg.member_group_id = reached.group_id AND gg.kind = 'membership'
          )
          SELECT user_id, group_id FROM reached`,
        params: [hash],
      },
      {
        sql: `INSERT INTO api_keys (user_id, hash, prefix, sealed, description, created_at)
          SELECT u.id, ?, ?, ?, 'First administrator', ? FROM users u WHERE u.password_hash = ?`,
        params: [await sha256Hex(apiKey), apiKey.slice(0, 6), sealed, now, hash],
      },
      ...productStatements(hash, now),
      ...FLAG_TYPES.flatMap((type) => flagTypeStatements(type, hash)),
    ],
    confirm: { sql: 'SELECT id FROM users WHERE password_hash = ?', params: [hash] },
  }
}

/**
 * Creates the first administrator of a database and returns the credentials; null when there is an
 * administrator already. `secretsKey` is the SECRETS_KEY of the Worker that serves the database; without one there is
 * no encrypted copy of the API key. Nothing is written before `ready`, nor when that fails.
 */
export async function createFirstAdministrator(
  { select, run }: StatementRunner,
  environment: Record<string, string | undefined>,
  secretsKey: string | null,
  ready?: Promise<unknown>,
): Promise<AdministratorChoice | null> {
  const hasAdministrator = async () => (await select(FIND_ADMINISTRATOR)).length > 0
  if (await hasAdministrator()) {
    return null
  }
  const choice = chooseAdministrator(environment)
  const now = Math.floor(Date.now() / 1000)
  const { create, confirm } = await planFirstAdministrator({ ...choice, secretsKey, now })
  await ready
  try {
    await run(create)
  } catch (error) {
    // the first error is the one to tell
    if (await hasAdministrator().catch(() => false)) {
      return null
    }
    throw explainFailure(error, choice.login)
  }
  return (await select(confirm)).length > 0 ? choice : null
}

/** The logins of the ten oldest administrators of a database. */
export async function listAdministrators({ select }: StatementRunner): Promise<string[]> {
  return (await select(LIST_ADMINISTRATORS)).map(({ login }) => String(login))
}

/**
 * Says which of the variables for the first administrator have no effect on a tracker that has one, and names the
 * command that resets it.
 */
export function describeIgnoredVariables(
  environment: Record<string, string | undefined>,
  resetCommand: string,
): string | null {
  const names = ['ADMIN_LOGIN', 'ADMIN_PASSWORD', 'ADMIN_API_KEY'].filter(
    (name) => environment[name],
  )
  return names.length === 0
    ? null
    : `Ignored ${names.join(', ')}, because there is an administrator. Other credentials for an administrator: ${resetCommand}`
}

/** The command that resets an administrator, with the flags that name the tracker, as a shell reads them. */
export function describeReset(...tracker: string[]): string {
  const flags = tracker.map((flag) =>
    /^[\w./:=-]+$/.test(flag) ? flag : `'${flag.replaceAll("'", "'\\''")}'`,
  )
  return ['npm run bootstrap --', ...flags, '--reset-administrator LOGIN'].join(' ')
}

/** The message about an administrator: what happened to the login, and the generated credentials. */
export function describeAdministrator(
  { login, password, apiKey, generated }: AdministratorChoice,
  event = `Created the first administrator, ${login}.`,
): string {
  const lines = [event]
  if (generated.password) {
    lines.push(`  password: ${password}`)
  }
  if (generated.apiKey) {
    lines.push(`  API key:  ${apiKey}`)
  }
  if (lines.length > 1) {
    lines.push('This is shown only once.')
  }
  return lines.join('\n')
}

/** Turns the error of a taken login into a CommandError that names the remedy; keeps other errors. */
function explainFailure(error: unknown, login: string): unknown {
  const text = error instanceof Error ? error.message : String(error)
  return text.includes('UNIQUE constraint failed: users.login_fold')
    ? new CommandError(
        `${login} has an account that is not an administrator. Set ADMIN_LOGIN to an address without one.`,
      )
    : error
}

/** Statements that insert the test product with one component, unless the database has products. */
function productStatements(hash: string, now: number): Statement[] {
  return [
    {
      sql: `INSERT INTO products (classification_id, name, name_fold, description, created_at)
        SELECT (SELECT min(id) FROM classifications), 'TestProduct', 'testproduct',
          'A product to try things out in.', ?
        FROM users u WHERE u.password_hash = ? AND NOT EXISTS (SELECT 1 FROM products)`,
      params: [now, hash],
    },
    testProductPartStatement(
      'versions',
      hash,
      "name, name_fold, is_default) SELECT p.id, 'unspecified', 'unspecified', 1",
    ),
    testProductPartStatement(
      'milestones',
      hash,
      "name, name_fold, is_default) SELECT p.id, '---', '---', 1",
    ),
    testProductPartStatement(
      'components',
      hash,
      `name, name_fold, description, default_assignee_id)
        SELECT p.id, 'TestComponent', 'testcomponent', 'A component to try things out in.', u.id`,
    ),
  ]
}

type SeededFlagType = { name: string; description: string; target: 'bug' | 'attachment' }

/** What clients ask for by name. They apply everywhere, and everybody may request and answer them. */
const FLAG_TYPES: readonly SeededFlagType[] = [
  {
    name: 'needinfo',
    target: 'bug',
    description: 'A person has to answer a question about the bug.',
  },
  { name: 'review', target: 'attachment', description: 'A person has to review the attachment.' },
]

/** Inserts a flag type that may be requested of people, unless the database has one of the name. */
function flagTypeStatements(
  { name, description, target }: SeededFlagType,
  hash: string,
): Statement[] {
  return [
    {
      sql: `INSERT INTO flag_types (name, description, target)
        SELECT ?, ?, ? FROM users u WHERE u.password_hash = ?
          AND NOT EXISTS (SELECT 1 FROM flag_types t WHERE t.name = ?)`,
      params: [name, description, target, hash, name],
    },
    {
      sql: `INSERT INTO flag_type_scopes (flag_type_id, is_exclusion)
        SELECT t.id, 0 FROM flag_types t JOIN users u ON u.password_hash = ?
        WHERE t.name = ? AND NOT EXISTS (SELECT 1 FROM flag_type_scopes s WHERE s.flag_type_id = t.id)`,
      params: [hash, name],
    },
  ]
}

/** Inserts a version, milestone or component of the test product, unless it has one. */
function testProductPartStatement(
  table: string,
  hash: string,
  columnsAndValues: string,
): Statement {
  return {
    sql: `INSERT INTO ${table} (product_id, ${columnsAndValues}
      FROM users u JOIN products p ON p.name_fold = 'testproduct'
      WHERE u.password_hash = ? AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.product_id = p.id)`,
    params: [hash],
  }
}
