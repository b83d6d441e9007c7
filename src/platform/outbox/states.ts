import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { workColumns } from '../db/schema/work.ts'
import { sql } from '../db/sql.ts'

export type OutboxTable = SQLiteTable &
  Readonly<Record<'id' | keyof typeof workColumns, SQLiteColumn>>

/**
 * The states of a row of later work. The work columns hold them, docs/outbox.md shows how one becomes another:
 *
 * - `scheduled`: has all of its attempts ahead;
 * - `leased`: a worker is at it;
 * - `retrying`: waits for another attempt, because one failed or its worker died;
 * - `delivered`: the work is done;
 * - `given up`: no further attempt is made, unless a person asks for it.
 */
export type OutboxState = 'scheduled' | 'leased' | 'retrying' | 'delivered' | 'given up'

type WorkRow = {
  readonly attempts: number
  readonly leaseUntil: number | null
  readonly doneAt: number | null
  readonly lastError: string | null
}

/** The state of a row at a time, in Unix seconds. */
export function stateOf(row: WorkRow, now: number): OutboxState {
  if (row.doneAt !== null) {
    return row.lastError === null ? 'delivered' : 'given up'
  }
  if (row.leaseUntil !== null && row.leaseUntil > now) {
    return 'leased'
  }
  return row.attempts === 0 ? 'scheduled' : 'retrying'
}

/** Whether a row is scheduled or retrying. */
export function isWaiting(table: OutboxTable, now: number): SQL {
  return sql`${table.doneAt} IS NULL AND ${isFree(table, now)}`
}

/** Whether a row is in any state but leased. */
export function isFree(table: OutboxTable, now: number): SQL {
  return sql`(${table.leaseUntil} IS NULL OR ${table.leaseUntil} <= ${now})`
}
