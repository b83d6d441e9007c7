import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ComparedValue, diffFromNothing } from '../lib/differences.ts'
import { auditStatement, auditStatements, type Changes } from './audit.ts'
import { abortUnlessChanged, type CommitParts, commit, type Statement } from './commit.ts'
import { fields, fieldValues, keywords } from './schema/fields.ts'
import { flagTypes } from './schema/flags.ts'
import { groups } from './schema/groups.ts'
import { classifications, components, milestones, products, versions } from './schema/products.ts'
import { apiKeys, users } from './schema/users.ts'
import { webhooks } from './schema/webhooks.ts'
import type { SessionHolder } from './session.ts'
import { db, jsonList, jsonRows, newestId, sql } from './sql.ts'

/** What administration changes: the classes of the audit log, with the tables of their objects. */
const TABLES = {
  APIKey: apiKeys,
  Classification: classifications,
  Component: components,
  Field: fields,
  FieldValue: fieldValues,
  FlagType: flagTypes,
  Group: groups,
  Keyword: keywords,
  Milestone: milestones,
  Product: products,
  User: users,
  Version: versions,
  Webhook: webhooks,
} as const

type Tables = typeof TABLES
type AuditedClass = keyof Tables

/** Classes whose objects count their changes. */
type VersionedClass = {
  [Name in AuditedClass]: Tables[Name] extends { readonly revision: SQLiteColumn } ? Name : never
}[AuditedClass]

type AnyTable = SQLiteTable & { readonly id: SQLiteColumn; readonly revision: SQLiteColumn }

/** Who writes, and when: what the context of an operation tells. */
export type Author = {
  readonly caller: { readonly id: number }
  /** Unix seconds. */
  readonly now: number
}

/** Like `Author`; null is somebody who makes their own account. */
export type Creator = Omit<Author, 'caller'> & { readonly caller: { readonly id: number | null } }

/** An object at the revision that a decision read. */
type ReadObject = { readonly id: number; readonly revision: number }

/** Commits a new object with its entry in the audit log, and behind them `parts`; returns its ID. */
export async function createAudited<Name extends AuditedClass>(
  ctx: Author & SessionHolder,
  objectClass: Name,
  { row, shown }: { row: Tables[Name]['$inferInsert']; shown: Record<string, ComparedValue> },
  parts: CommitParts = {},
): Promise<number> {
  const table: AnyTable = tableOf(objectClass)
  const { created } = await commit(ctx, {
    created: db
      .insert(table)
      .values(row as never)
      .returning({ id: table.id }),
    audit: recordCreation(ctx, objectClass, newestId(table), shown),
    ...parts,
  })
  return Number(created[0]?.id)
}

/** Records an object that other statements create. */
export function recordCreation(
  { caller, now }: Creator,
  objectClass: AuditedClass,
  objectId: SQL,
  shown: Record<string, ComparedValue>,
): Statement {
  const changes = diffFromNothing(shown)
  return auditStatement({
    by: caller.id,
    at: now,
    action: 'create',
    objectClass,
    objectId,
    changes,
  })
}

/** Gives all objects that change the same values, each at the revision that was read, and records it. */
export function updateAudited<Name extends VersionedClass>(
  author: Author,
  objectClass: Name,
  objects: readonly (ReadObject & { readonly changes: Changes })[],
  values: { readonly [Column in keyof Tables[Name]['$inferInsert']]?: unknown } = {},
): Statement[] {
  const changed = objects.filter(({ changes }) => Object.keys(changes).length > 0)
  return changed.length === 0
    ? []
    : [
        ...updateAtRevision(objectClass, changed, values),
        ...recordUpdates(author, objectClass, changed),
      ]
}

/** Gives objects the same values; fails as a conflict when one of them has another revision by now. */
export function updateAtRevision<Name extends VersionedClass>(
  objectClass: Name,
  objects: readonly ReadObject[],
  values: { readonly [Column in keyof Tables[Name]['$inferInsert']]?: unknown } = {},
): Statement[] {
  const table: AnyTable = tableOf(objectClass)
  const states = objects.map(({ id, revision }) => ({ id, revision }))
  return [
    db
      .update(table)
      .set({ ...values, revision: sql`${table.revision} + 1` } as never)
      .where(sql`${table.id} IN ${jsonList(states.map(({ id }) => id))} AND (${table.id}, ${table.revision})
        IN (SELECT r.value ->> 'id', r.value ->> 'revision' FROM ${jsonRows(states)})`),
    abortUnlessChanged(states.length),
  ]
}

/** Records changes of objects that other statements write. */
export function recordUpdates(
  { caller, now }: Author,
  objectClass: AuditedClass,
  objects: readonly { readonly id: number; readonly changes: Changes }[],
): Statement[] {
  return auditStatements({ by: caller.id, at: now, objectClass, action: 'update' }, objects)
}

/**
 * Removes an object and records what it was; fails as a conflict when it has another revision by now, or when
 * `isUsed` has become true.
 */
export function removeAudited(
  { caller, now }: Author,
  objectClass: VersionedClass,
  { id, revision }: ReadObject,
  was: Record<string, string>,
  isUsed: SQL = sql`0`,
): Statement[] {
  const table: AnyTable = tableOf(objectClass)
  const changes = Object.entries(was).map(([field, removed]) => [field, { removed, added: '' }])
  return [
    sql`DELETE FROM ${table} WHERE ${table.id} = ${id} AND ${table.revision} = ${revision} AND NOT ${isUsed}`,
    abortUnlessChanged(),
    auditStatement({
      by: caller.id,
      at: now,
      action: 'remove',
      objectClass,
      objectId: id,
      changes: Object.fromEntries(changes),
    }),
  ]
}

function tableOf(objectClass: AuditedClass): AnyTable {
  return TABLES[objectClass] as unknown as AnyTable
}
