import type { SQL } from 'drizzle-orm'
import { abortIf, type Statement } from '../../db/commit.ts'
import { jsonRows, sql } from '../../db/sql.ts'

/** The version of a row that a decision depends on: the number that was read from one of its columns. */
export type ReadVersion = {
  readonly table: 'bugs' | 'products' | 'components' | 'versions' | 'milestones'
  readonly id: number
  readonly column: 'revision' | 'product_id'
  readonly number: number
}

/** The version of a row that any change of the row ends. */
export function readVersionOf(
  table: ReadVersion['table'],
  { id, revision }: { readonly id: number; readonly revision: number },
): ReadVersion {
  return { table, id, column: 'revision', number: revision }
}

/** Fails the commit unless all rows still have the versions that were read. For the beginning of a commit. */
export function abortIfChanged(versions: readonly ReadVersion[]): Statement[] {
  const unique = new Map(versions.map((version) => [Object.values(version).join(' '), version]))
  const alike = Map.groupBy(unique.values(), ({ table, column }) => `${table} ${column}`)
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map(({ table, column }) => abortIf(hasChanged(table, column, same))),
  )
}

function hasChanged(table: string, column: string, versions: readonly ReadVersion[]): SQL {
  const rows = versions.map(({ id, number }) => ({ id, number }))
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(rows)} WHERE NOT EXISTS (
    SELECT 1 FROM ${sql.raw(table)} now
    WHERE now.id = r.value ->> 'id' AND now.${sql.raw(column)} = r.value ->> 'number'))`
}
