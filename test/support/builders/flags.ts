import { sql } from 'drizzle-orm'
import { flagTypeScopes, flagTypes } from '../../../src/platform/db/schema/flags.ts'
import { db, jsonList, newestId } from '../../../src/platform/db/sql.ts'
import { execute } from '../database/execute.ts'
import { copyBug, insertBug } from './bugs.ts'
import type { TestFlagType, TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

type Scope = { productId?: number; componentId?: number; isExclusion?: boolean }

/** Types without scopes; `insertBugForFlags` scopes them to its product, away from other tests. */
const common: number[] = []

/** Inserts a flag type with these scopes; without any it applies to later bugs of `insertBugForFlags`. */
export async function insertFlagType(
  values: Partial<typeof flagTypes.$inferInsert> = {},
  scopes: readonly Scope[] = [],
): Promise<TestFlagType> {
  const name = values.name ?? uniqueName('flag')
  const [row] = await execute(
    db
      .insert(flagTypes)
      .values({ name, description: `What ${name} is for`, target: 'bug', ...values })
      .returning({ id: flagTypes.id }),
    ...scopes.map((scope) =>
      db
        .insert(flagTypeScopes)
        .values({ flagTypeId: newestId(flagTypes), isExclusion: false, ...scope }),
    ),
  )
  const id = Number(row?.id)
  if (scopes.length === 0) {
    common.push(id)
  }
  return { id, name }
}

/** Inserts a bug into a product of its own where all flag types without scopes apply. */
export async function insertBugForFlags(options: Parameters<typeof insertBug>[0] = {}) {
  const made = await insertBug(options)
  const [row] = await execute(sql`SELECT product_id FROM bugs WHERE id = ${made.id}`)
  const productId = Number(row?.product_id)
  await offerCommonFlagTypes(productId)
  return { ...made, productId }
}

/** Makes all flag types without scopes apply in a product. */
export async function offerCommonFlagTypes(productId: number): Promise<void> {
  await execute(sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
    SELECT value, 0, ${productId} FROM ${jsonList(common)}`)
}

/** Inserts copies of a bug with a flag and its activity each: rows that requests about other bugs must not read. */
export async function insertManyFlags(
  bugId: number,
  count: number,
  type: TestFlagType,
  by: TestPerson,
) {
  const ids = JSON.stringify(await copyBug(bugId, count))
  await execute(
    sql`INSERT INTO flags (bug_id, type_id, status, setter_id, created_at, modified_at)
      SELECT value, ${type.id}, '?', ${by.id}, 1, 1 FROM json_each(${ids})`,
    sql`INSERT INTO flag_activity (flag_id, type_id, bug_id, status, setter_id, happened_at)
      SELECT id, type_id, bug_id, status, setter_id, ${NOW} FROM flags
      WHERE bug_id IN (SELECT value FROM json_each(${ids}))`,
  )
}

/**
 * Adds components to a product, each of which has as many more flag types; returns what removes them all, because tests
 * of all products would read them.
 */
export async function insertFlagTypesOfComponents(
  { id: productId }: { readonly id: number },
  count: { readonly components: number; readonly types: number },
): Promise<() => Promise<void>> {
  const name = uniqueName('repeated')
  const numbers = (most: number) =>
    sql`FROM json_each(${JSON.stringify(Array.from({ length: most }, (_, n) => n))})`
  const types = sql`(SELECT id FROM flag_types WHERE description = ${name})`
  await execute(
    sql`INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      SELECT ${productId}, ${name} || value, ${name} || value, ${name},
        (SELECT min(default_assignee_id) FROM components WHERE product_id = ${productId})
      ${numbers(count.components)}`,
    sql`INSERT INTO flag_types (name, description, target)
      SELECT 't' || value, ${name}, iif(value % 2 = 0, 'bug', 'attachment') ${numbers(count.types)}`,
    sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
      SELECT id, 0, ${productId} FROM ${types}`,
  )
  return async () => {
    await execute(
      sql`DELETE FROM flag_type_scopes WHERE flag_type_id IN ${types}`,
      sql`DELETE FROM flag_types WHERE description = ${name}`,
      sql`DELETE FROM components WHERE product_id = ${productId} AND description = ${name}`,
    )
  }
}
