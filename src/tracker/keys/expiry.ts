import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Statement } from '../../platform/db/commit.ts'
import { apiKeyMails } from '../../platform/db/schema/users.ts'
import { columnNames, jsonRows, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { datetime } from '../../platform/http/operations/shapes.ts'
import { startOfDay, toDay } from '../../platform/lib/time.ts'

const DAY_SECONDS = 86_400

/** How long before its expiry the owner of a key is reminded for the first time. */
const NOTICE_SECONDS = 7 * DAY_SECONDS

/** Like `datetime`, but `never` is null. */
export function expiryOrNever() {
  return z
    .preprocess((value) => (value === 'never' ? null : (value ?? undefined)), datetime().nullable())
    .meta({ type: 'string' })
}

/** An expiry in the future, or null for none. */
export function requireFuture(expires: number | null, now: number): number | null {
  if (expires !== null && expires <= now) {
    throw invalidParameter('expires', 'must lie in the future')
  }
  return expires
}

/**
 * When mails about an expiry are due: a week before it, and as the last day (UTC) begins, if that is yet
 * to come.
 */
export function planMailTimes(expiresAt: number | null, now: number): number[] {
  return expiresAt === null
    ? []
    : [expiresAt - NOTICE_SECONDS, startOfDay(toDay(expiresAt - 1))].filter((time) => time > now)
}

/** Plans the mails about the expiry of a key anew, in the commit that sets it. `keyId` may be SQL. */
export function planMailsStatements(
  keyId: number | SQL,
  expiresAt: number | null,
  now: number,
): Statement[] {
  const times = planMailTimes(expiresAt, now).map((time) => ({ time }))
  const { keyId: key, plannedAt, expiresAt: expiry, nextAttemptAt } = apiKeyMails
  return [
    sql`DELETE FROM api_key_mails WHERE ${key} = ${keyId} AND ${apiKeyMails.doneAt} IS NULL`,
    ...(times.length === 0
      ? []
      : [
          sql`INSERT INTO api_key_mails (${columnNames(key, plannedAt, expiry, nextAttemptAt)})
            SELECT ${keyId}, ${now}, ${expiresAt}, r.value ->> 'time' FROM ${jsonRows(times)}`,
        ]),
  ]
}
