import { env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { scryptSync } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { apiKeys, users } from '../../../src/platform/db/schema/users.ts'
import { db, jsonList, newestId } from '../../../src/platform/db/sql.ts'
import { newApiKey, seal, sha256Hex } from '../../../src/platform/lib/crypto/secrets.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { execute } from '../database/execute.ts'
import type { TestGroup, TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

/** Inserts a person with an API key, these roles and direct memberships; without a password by default. */
export async function insertPerson(
  options: {
    roles?: Role[]
    groups?: TestGroup[]
    password?: string
    loginDeniedText?: string
    realName?: string
  } = {},
): Promise<TestPerson> {
  const login = `${uniqueName('person')}@example.test`
  const key = newApiKey()
  const realName = options.realName ?? `Person ${login}`
  const [row] = await execute(
    db
      .insert(users)
      .values({
        login,
        loginFold: fold(login),
        realName,
        realNameFold: fold(realName),
        passwordHash: options.password === undefined ? null : hashAtLowCost(options.password),
        loginDeniedText: options.loginDeniedText ?? '',
        createdAt: NOW,
      })
      .returning({ id: users.id }),
    db.insert(apiKeys).values({
      userId: newestId(users),
      hash: await sha256Hex(key),
      prefix: key.slice(0, 6),
      sealed: await seal(key, env.SECRETS_KEY),
      createdAt: NOW,
    }),
  )
  const id = Number(row?.id)
  const ids = (options.groups ?? []).map((group) => group.id)
  await execute(
    sql`INSERT INTO group_members (user_id, group_id, source)
      SELECT ${id}, id, 'direct' FROM access_groups
      WHERE role IN ${jsonList(options.roles ?? [])} OR id IN ${jsonList(ids)}`,
    ...recomputeMembershipsStatements([id]),
  )
  return { id, login, key, password: options.password }
}

/** As the service stores a password, but with one call of the cheapest kind, so that logins take no time. */
function hashAtLowCost(password: string): string {
  const salt = Buffer.from('salt of a test..')
  const hash = scryptSync(password, Buffer.concat([salt, Buffer.of(1)]), 32, { N: 2, r: 1, p: 1 })
  const [saltText, hashText] = [salt, hash].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  )
  return `$scrypt-chain$ln=1,r=1,t=1$${saltText}$${hashText}`
}

/** Inserts people with these real names, whose logins begin with them, in that order. */
export async function insertPeopleNamed<const Names extends readonly string[]>(
  ...realNames: Names
): Promise<{ [Place in keyof Names]: TestPerson }> {
  const made: TestPerson[] = []
  for (const realName of realNames) {
    const one = await insertPerson({ realName })
    const login = `${realName.replaceAll(' ', '.')}@${uniqueName('host')}.test`
    await execute(sql`UPDATE users SET login = ${login}, login_fold = ${login.toLowerCase()}
      WHERE id = ${one.id}`)
    made.push({ ...one, login })
  }
  return made as { [Place in keyof Names]: TestPerson }
}

/** Inserts another API key of a person: revoked, expired or limited on request, the latter to products too. */
export async function insertApiKey(
  owner: TestPerson,
  more: {
    revoked?: boolean
    expiresAt?: number
    canWrite?: boolean
    canAdminister?: boolean
    products?: readonly number[]
  } = {},
): Promise<{ id: number; key: string }> {
  const key = newApiKey()
  const { products, ...columns } = more
  const [row] = await execute(
    db
      .insert(apiKeys)
      .values({
        userId: owner.id,
        hash: await sha256Hex(key),
        prefix: key.slice(0, 6),
        sealed: await seal(key, env.SECRETS_KEY),
        createdAt: NOW,
        ...columns,
        ...(products !== undefined && { productIds: JSON.stringify(products) }),
      })
      .returning({ id: apiKeys.id }),
  )
  return { id: Number(row?.id), key }
}

/** Inserts a session of a person whose cookie nobody has; returns its ID. */
export async function insertSession(
  { id }: Pick<TestPerson, 'id'>,
  lastUsedAt = NOW,
): Promise<number> {
  const [row] = await execute(sql`INSERT INTO sessions
    (hash, user_id, created_at, last_used_at, ip, user_agent, authenticated_by)
    VALUES (${uniqueName('hash')}, ${id}, ${lastUsedAt}, ${lastUsedAt}, '192.0.2.1', '', 'password') RETURNING id`)
  return Number(row?.id)
}

/** Inserts a token of a person, like the one that a login returns. */
export async function insertToken({ id }: Pick<TestPerson, 'id'>): Promise<string> {
  const token = `${id}-${uniqueName('token')}`
  const at = Math.floor(Date.now() / 1000)
  await execute(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
    VALUES (${await sha256Hex(token)}, ${id}, ${at}, ${at})`)
  return token
}
