import { randomBytes } from 'node:crypto'
import { hashPassword, newApiKey, seal, sha256Hex } from '../src/lib/secrets.ts'
import { fold } from '../src/lib/text.ts'
import { Complaint } from './complaint.ts'

export type Statement = { sql: string; params: (string | number | null)[] }

export type Administrator = { login: string; password: string; apiKey: string }

/** An administrator to be made, and which of the credentials nobody but the computer knows yet. */
export type Choice = Administrator & { generated: { password: boolean; apiKey: boolean } }

export type Plan = {
  /** In this order, as one transaction. They change nothing once there is an administrator. */
  create: Statement[]
  /** Answers one row when it was this plan that made the administrator, and none otherwise. */
  confirm: Statement
}

/** Answers one row when there is an administrator, and none otherwise. */
export const FIND_ADMINISTRATOR: Statement = {
  sql: `SELECT m.user_id FROM memberships m JOIN access_groups g ON g.id = m.group_id
    WHERE g.role = 'admin' LIMIT 1`,
  params: [],
}

const LOGIN = /^[\w.+\-=]+@[\w.-]+\.[\w-]+$/
const LONGEST_LOGIN = 127
const SHORTEST_PASSWORD = 8
const API_KEY = /^[!-~]{20,128}$/

/**
 * The credentials that ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY ask for; what is not set is
 * generated. Throws a complaint that names a variable whose value cannot be used.
 */
export function chooseAdministrator(environment: Record<string, string | undefined>): Choice {
  const login = environment.ADMIN_LOGIN || 'admin@example.com'
  const password = environment.ADMIN_PASSWORD || undefined
  const apiKey = environment.ADMIN_API_KEY || undefined
  if (login.length > LONGEST_LOGIN || !LOGIN.test(login)) {
    throw new Complaint('ADMIN_LOGIN must be an e-mail address.')
  }
  if (password !== undefined && password.length < SHORTEST_PASSWORD) {
    throw new Complaint(`ADMIN_PASSWORD must have at least ${SHORTEST_PASSWORD} characters.`)
  }
  if (password !== undefined && password.trim() !== password) {
    throw new Complaint('ADMIN_PASSWORD must not begin or end with white space.')
  }
  if (apiKey !== undefined && !API_KEY.test(apiKey)) {
    throw new Complaint('ADMIN_API_KEY must be 20 to 128 visible ASCII characters without blanks.')
  }
  return {
    login,
    password: password ?? randomBytes(12).toString('hex'),
    apiKey: apiKey ?? newApiKey(),
    generated: { password: password === undefined, apiKey: apiKey === undefined },
  }
}

/**
 * The statements that make the first administrator, with an API key, and the product to try things out
 * in. Without a `secretsKey` the key gets no sealed copy. `now` is in Unix seconds.
 */
export async function planFirstAdministrator(
  input: Administrator & { secretsKey: string | null; now: number },
): Promise<Plan> {
  const { login, apiKey, secretsKey, now } = input
  // salted, so no other account has it: every later statement finds the new account by it, or finds none
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
        // effective membership, as access/membership.ts finds it for everybody
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
    ],
    confirm: { sql: 'SELECT id FROM users WHERE password_hash = ?', params: [hash] },
  }
}

/**
 * Makes the first administrator of a database that has none, and answers the credentials; null when
 * there is one. `secretsKey` is the SECRETS_KEY of the Worker that serves the database.
 */
export async function createFirstAdministrator(
  db: D1Database,
  environment: Record<string, string | undefined>,
  secretsKey: string,
): Promise<Choice | null> {
  const holds = async ({ sql, params }: Statement) =>
    (await db
      .prepare(sql)
      .bind(...params)
      .first()) !== null
  if (await holds(FIND_ADMINISTRATOR)) {
    return null
  }
  const choice = chooseAdministrator(environment)
  const now = Math.floor(Date.now() / 1000)
  const { create, confirm } = await planFirstAdministrator({ ...choice, secretsKey, now })
  try {
    await db.batch(create.map(({ sql, params }) => db.prepare(sql).bind(...params)))
  } catch (error) {
    if (await holds(FIND_ADMINISTRATOR)) {
      return null
    }
    throw explained(error, choice.login)
  }
  return (await holds(confirm)) ? choice : null
}

/** What to tell about a new administrator: who it is, and what was generated. */
export function introduce({ login, password, apiKey, generated }: Choice): string {
  const lines = [`Created the first administrator, ${login}.`]
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

/** A failed statement, told as what it means where that is known. */
export function explained(error: unknown, login: string): unknown {
  const text = error instanceof Error ? error.message : String(error)
  return text.includes('UNIQUE constraint failed: users.login_fold')
    ? new Complaint(
        `${login} has an account that is no administrator. Set ADMIN_LOGIN to an address without one.`,
      )
    : error
}

/** A product with one component, in a database without products. */
function productStatements(hash: string, now: number): Statement[] {
  return [
    {
      sql: `INSERT INTO products (classification_id, name, name_fold, description, created_at)
        SELECT (SELECT min(id) FROM classifications), 'TestProduct', 'testproduct',
          'A product to try things out in.', ?
        FROM users u WHERE u.password_hash = ? AND NOT EXISTS (SELECT 1 FROM products)`,
      params: [now, hash],
    },
    inTestProduct(
      'versions',
      hash,
      "name, name_fold, is_default) SELECT p.id, 'unspecified', 'unspecified', 1",
    ),
    inTestProduct('milestones', hash, "name, name_fold, is_default) SELECT p.id, '---', '---', 1"),
    inTestProduct(
      'components',
      hash,
      `name, name_fold, description, default_assignee_id)
        SELECT p.id, 'TestComponent', 'testcomponent', 'A component to try things out in.', u.id`,
    ),
  ]
}

/** A row of the test product, unless it has one of that kind. */
function inTestProduct(table: string, hash: string, columnsAndValues: string): Statement {
  return {
    sql: `INSERT INTO ${table} (product_id, ${columnsAndValues}
      FROM users u JOIN products p ON p.name_fold = 'testproduct'
      WHERE u.password_hash = ? AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.product_id = p.id)`,
    params: [hash],
  }
}
