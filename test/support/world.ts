import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../src/access/membership.ts'
import type { Role } from '../../src/access/roles.ts'
import { db } from '../../src/db/client.ts'
import type { Statement } from '../../src/db/commit.ts'
import { components } from '../../src/db/schema/components.ts'
import { groupMembers, groups } from '../../src/db/schema/groups.ts'
import { groupControls, milestones, products, versions } from '../../src/db/schema/products.ts'
import { apiKeys, users } from '../../src/db/schema/users.ts'
import { jsonList, newestId } from '../../src/db/sql.ts'
import { hashPassword, newApiKey, seal, sha256Hex } from '../../src/lib/secrets.ts'
import { fold } from '../../src/lib/text.ts'
import { runStatements } from './statements.ts'

/** Names made here are unique in the whole run, so that no test meets the things of another. */
let made = 0
export function unique(word: string): string {
  made += 1
  return `${word}${made}x${crypto.randomUUID().slice(0, 6)}`
}

export const NOW = Math.floor(Date.now() / 1000)

export type TestPerson = { id: number; login: string; key: string; password?: string }
export type TestGroup = { id: number; name: string }
export type TestProduct = { id: number; name: string; component: string; version: string }

/** Writes statements and answers the ID that the one at `place` returned. */
async function write(statements: Statement[], place = 0): Promise<number> {
  const rows = await runStatements(statements)
  return Number(rows[place]?.[0]?.id)
}

export async function person(
  options: {
    roles?: Role[]
    groups?: TestGroup[]
    password?: string
    loginDeniedText?: string
    realName?: string
  } = {},
): Promise<TestPerson> {
  const login = `${unique('person')}@example.test`
  const key = newApiKey()
  const realName = options.realName ?? `Person ${login}`
  const id = await write([
    db
      .insert(users)
      .values({
        login,
        loginFold: fold(login),
        realName,
        realNameFold: fold(realName),
        passwordHash: options.password === undefined ? null : await hashPassword(options.password),
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
  ])
  const ids = (options.groups ?? []).map((group) => group.id)
  await write([
    sql`INSERT INTO group_members (user_id, group_id, source)
      SELECT ${id}, id, 'direct' FROM access_groups
      WHERE role IN ${jsonList(options.roles ?? [])} OR id IN ${jsonList(ids)}`,
    ...recomputeMembershipsStatements([id]),
  ])
  return { id, login, key, password: options.password }
}

/** Another key of a person, perhaps one that no longer works. */
export async function keyOf(
  owner: TestPerson,
  more: { revoked?: boolean; expiresAt?: number } = {},
): Promise<{ key: string }> {
  const key = newApiKey()
  await write([
    db.insert(apiKeys).values({
      userId: owner.id,
      hash: await sha256Hex(key),
      prefix: key.slice(0, 6),
      createdAt: NOW,
      ...more,
    }),
  ])
  return { key }
}

export async function group(members: TestPerson[] = []): Promise<TestGroup> {
  const name = unique('group')
  const id = await write([
    db
      .insert(groups)
      .values({ name, nameFold: fold(name), description: `All of ${name}`, createdAt: NOW })
      .returning({ id: groups.id }),
  ])
  if (members.length > 0) {
    await write([
      db
        .insert(groupMembers)
        .values(
          members.map((member) => ({ userId: member.id, groupId: id, source: 'direct' as const })),
        ),
      ...recomputeMembershipsStatements(members.map((member) => member.id)),
    ])
  }
  return { id, name }
}

/** A product with a component, the versions `unspecified` and `1.0`, and the milestone `---`. */
export async function product(
  options: {
    isActive?: boolean
    hasUnconfirmed?: boolean
    assignee?: TestPerson
    controls?: (Partial<typeof groupControls.$inferInsert> & { group: TestGroup })[]
  } = {},
): Promise<TestProduct> {
  const name = unique('Product')
  const component = unique('Component')
  const assignee = options.assignee ?? (await person())
  const { isActive = true, hasUnconfirmed = true } = options
  const id = await write([
    db
      .insert(products)
      .values({
        classificationId: 1,
        name,
        nameFold: fold(name),
        description: `What ${name} is`,
        isActive,
        hasUnconfirmed,
        createdAt: NOW,
      })
      .returning({ id: products.id }),
    ...['unspecified', '1.0'].map((version, i) =>
      db.insert(versions).values({
        productId: newestId(products),
        name: version,
        nameFold: version,
        isDefault: i === 0,
      }),
    ),
    db
      .insert(milestones)
      .values({ productId: newestId(products), name: '---', nameFold: '---', isDefault: true }),
    db.insert(components).values({
      productId: newestId(products),
      name: component,
      nameFold: fold(component),
      description: `What ${component} is`,
      defaultAssigneeId: assignee.id,
    }),
    ...(options.controls ?? []).map(({ group: controlled, ...control }) =>
      db
        .insert(groupControls)
        .values({ productId: newestId(products), groupId: controlled.id, ...control }),
    ),
  ])
  return { id, name, component, version: 'unspecified' }
}

/** The body of a new bug, complete enough to be filed. */
export function newBug(place: TestProduct, more: Record<string, unknown> = {}) {
  return {
    product: place.name,
    component: place.component,
    version: place.version,
    summary: unique('Something is wrong '),
    ...more,
  }
}
