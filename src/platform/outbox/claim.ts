import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { allOf, anyOf, columnName, jsonList, jsonRows, limitTo, sql } from '../db/sql.ts'
import { LEASE_SECONDS } from './lease.ts'
import { isWaiting, type OutboxTable } from './states.ts'

/** A table of work, and how often and when its rows are tried. */
export type Outbox = {
  readonly table: OutboxTable
  /** A migration has to end what is beyond a lower number: the sweep looks at nothing that no worker claimed. */
  readonly maxAttempts: number
  /** The seconds until the next attempt after this many. */
  readonly delayAfter: (attempts: number) => number
  /** How long rows stay that are done; null for always. */
  readonly keepSeconds: number | null
  /**
   * Rows that agree in the columns of one of these lists are claimed by their IDs, each after the work of those
   * before it, unless one of these fails. Without them rows have no order. An index serves each list.
   */
  readonly orders?: readonly (readonly SQLiteColumn[])[]
}

/** A row under the lease of this worker; `attempts` increases with each claim. */
export type ClaimedRow = { readonly id: number; readonly attempts: number }

/** By how much two clocks may differ: a row is due for a message that comes this early. */
const CLOCK_SKEW_SECONDS = 5
/** The same for a row that failed, whose shortest delay would be over at once otherwise. */
const RETRY_SKEW_SECONDS = 1

/** A row whose worker died so often may be the cause: it holds up no others any more. */
const MAX_HOLDING_ATTEMPTS = 5

/** Rows among which others to claim are sought. */
const MAX_CANDIDATES = 200

/**
 * Claims due rows of `ids`, and up to `others` more that no worker left, longest waiting first; returns them. A row
 * whose order is held up stays, and so do those behind it.
 */
export function claimStatement(
  outbox: Outbox,
  ids: readonly number[],
  others: number,
  now: number,
): SQL {
  const { table, orders } = outbox
  return sql`WITH RECURSIVE picked(id) AS MATERIALIZED (
      SELECT ${table.id} FROM ${table} WHERE ${table.id} IN ${jsonList(ids)} AND ${isDue(outbox, now)}
      UNION SELECT id FROM (${selectClaimable(outbox, now, others, ids)}))
      ${orders === undefined ? sql`` : heldExpression(outbox, orders, now)}
    UPDATE ${table} SET ${columnName(table.attempts)} = ${table.attempts} + 1,
      ${columnName(table.leaseUntil)} = ${now + LEASE_SECONDS}
    WHERE ${table.id} IN (SELECT id FROM picked ${orders === undefined ? sql`` : sql`EXCEPT SELECT id FROM held`})
    RETURNING *`
}

/**
 * Selects the `id` of rows that a worker could claim now, without a lease and other than `known`, longest waiting
 * first.
 */
export function selectClaimable(
  outbox: Outbox,
  now: number,
  most = 1,
  known: readonly number[] = [],
): SQL {
  const { table, orders = [] } = outbox
  const oldest = sql`ORDER BY ${columnName(table.nextAttemptAt)}, ${columnName(table.id)}`
  const free = orders.map(
    (order) => sql`NOT EXISTS (SELECT 1 FROM ${table} AS earlier WHERE ${isAhead(order)}
      AND ${mayHold(table, now)} AND earlier.${columnName(table.leaseUntil)} > ${now})`,
  )
  return sql`SELECT later.id AS id FROM (SELECT * FROM ${table}
      WHERE ${isDue(outbox, now)} AND ${table.leaseUntil} IS NULL
        AND ${table.id} NOT IN ${jsonList(known)} ${oldest} ${limitTo(MAX_CANDIDATES)}) AS later
    WHERE ${allOf(free)} ${oldest} ${limitTo(most)}`
}

/** Prolongs the leases of rows that are still under these claims. */
export function renewLeasesStatement(
  { table }: Outbox,
  claims: readonly ClaimedRow[],
  now: number,
): SQL {
  return sql`UPDATE ${table} SET ${columnName(table.leaseUntil)} = ${now + LEASE_SECONDS}
    FROM ${jsonRows(claims)}
    WHERE ${table.id} = r.value ->> 'id' AND ${table.attempts} = r.value ->> 'attempts'
      AND ${table.doneAt} IS NULL`
}

/** Of what was picked, the rows behind one that is not, and what in turn is behind these. */
function heldExpression(
  { table }: Outbox,
  orders: readonly (readonly SQLiteColumn[])[],
  now: number,
): SQL {
  const isBehindOther = orders.map(
    (order) => sql`EXISTS (SELECT 1 FROM ${table} AS earlier WHERE ${isAhead(order)}
      AND ${mayHold(table, now)} AND earlier.id NOT IN (SELECT id FROM picked))`,
  )
  return sql`, held(id) AS (
    SELECT later.id FROM picked JOIN ${table} AS later ON later.id = picked.id
      WHERE ${anyOf(isBehindOther)}
    UNION SELECT later.id FROM held CROSS JOIN ${table} AS earlier ON earlier.id = held.id
      CROSS JOIN picked CROSS JOIN ${table} AS later ON later.id = picked.id
      WHERE ${anyOf(orders.map(isAhead))})`
}

function isDue({ table, maxAttempts }: Outbox, now: number): SQL {
  return sql`(${isWaiting(table, now)} AND ${table.nextAttemptAt} <= ${now + CLOCK_SKEW_SECONDS}
    AND (${table.lastError} IS NULL OR ${table.nextAttemptAt} <= ${now + RETRY_SKEW_SECONDS})
    AND ${table.attempts} < ${maxAttempts})`
}

/** Whether the row `earlier` is ahead of the row `later` in an order. */
function isAhead(order: readonly SQLiteColumn[]): SQL {
  const agrees = order.map(
    (column) => sql`earlier.${columnName(column)} = later.${columnName(column)}`,
  )
  return allOf([sql`earlier.id < later.id`, ...agrees])
}

/** Whether the row `earlier` is under work, or due, and has not failed. */
function mayHold(table: OutboxTable, now: number): SQL {
  return sql`earlier.${columnName(table.doneAt)} IS NULL AND earlier.${columnName(table.lastError)} IS NULL
    AND earlier.${columnName(table.attempts)} <= ${MAX_HOLDING_ATTEMPTS}
    AND earlier.${columnName(table.nextAttemptAt)} <= ${now + CLOCK_SKEW_SECONDS}`
}
