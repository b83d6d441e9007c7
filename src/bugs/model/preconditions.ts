import type { SQL } from 'drizzle-orm'
import { abortIf, type Statement } from '../../db/commit.ts'
import { jsonRows, sql } from '../../db/sql.ts'

/** Something that a decision rests on, as it was read: the number that stands in a column of a row. */
export type ReadVersion = {
  readonly table: 'bugs' | 'products' | 'components' | 'versions' | 'milestones'
  readonly id: number
  readonly column: 'revision' | 'product_id'
  readonly held: number
}

/** A row as it was read, whatever of it is changed meanwhile. */
export function readVersionOf(
  table: ReadVersion['table'],
  { id, revision }: { readonly id: number; readonly revision: number },
): ReadVersion {
  return { table, id, column: 'revision', held: revision }
}

/** Fails the commit as stale unless everything is still as it was read. For the beginning of a commit. */
export function abortIfChanged(rests: readonly ReadVersion[]): Statement[] {
  const once = new Map(rests.map((rest) => [Object.values(rest).join(' '), rest]))
  const alike = Map.groupBy(once.values(), ({ table, column }) => `${table} ${column}`)
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map(({ table, column }) => abortIf(differs(table, column, same))),
  )
}

function differs(table: string, column: string, rests: readonly ReadVersion[]): SQL {
  const rows = rests.map(({ id, held }) => ({ id, held }))
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(rows)} WHERE NOT EXISTS (
    SELECT 1 FROM ${sql.raw(table)} now
    WHERE now.id = r.value ->> 'id' AND now.${sql.raw(column)} = r.value ->> 'held'))`
}
