import { type SQL, sql } from 'drizzle-orm'
import { refuseWhen, type Statement } from '../db/commit.ts'
import { jsonRows } from '../db/sql.ts'

/** Something that a decision rests on, as it was read. */
export type Rest = {
  readonly table: 'bugs' | 'products' | 'components' | 'versions' | 'milestones'
  readonly id: number
  readonly revision: number
}

/** Fails the commit as stale unless everything is still as it was read. For the beginning of a commit. */
export function refuseStale(rests: readonly Rest[]): Statement[] {
  const once = new Map(rests.map((rest) => [`${rest.table} ${rest.id}`, rest]))
  return [...Map.groupBy(once.values(), ({ table }) => table)].map(([table, same]) =>
    refuseWhen(hasMoved(table, same)),
  )
}

function hasMoved(table: string, rests: readonly Rest[]): SQL {
  const rows = rests.map(({ id, revision }) => ({ id, revision }))
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(rows)} WHERE NOT EXISTS (
    SELECT 1 FROM ${sql.raw(table)} now
    WHERE now.id = r.value ->> 'id' AND now.revision = r.value ->> 'revision'))`
}
