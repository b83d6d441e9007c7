import { desc, getTableName, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { accountLinks } from '../../platform/db/schema/accounts.ts'
import { codehostDeliveries, codehostPushes } from '../../platform/db/schema/codehost.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { apiKeyMails } from '../../platform/db/schema/users.ts'
import { webhookDeliveries } from '../../platform/db/schema/webhooks.ts'
import { db, limitTo, sql } from '../../platform/db/sql.ts'
import { numberTooLarge, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { MAX_OFFSET, pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { OUTBOXES, overdueCondition } from '../../platform/outbox/outbox.ts'
import {
  formatUndeliveredId,
  OVERDUE_SECONDS,
  outboxKindOf,
  UNDELIVERED_KINDS,
  type UndeliveredKind,
} from './kinds.ts'

const undeliveredShape = z
  .strictObject({
    id: z.string(),
    kind: z.enum(UNDELIVERED_KINDS),
    bug_id: z.int().nullable(),
    created: z.string(),
    attempts: z.int(),
    last_error: z.string().nullable(),
    next_attempt: z.string().nullable(),
  })
  .partial()

const MAX_LISTED = 500

/** What a kind is about, and when that happened in Unix seconds. */
const DETAILS: Readonly<
  Record<UndeliveredKind, { bugId: SQL<number | null>; created: SQL<number> }>
> = {
  mail: { bugId: sql`${notices.bugId}`, created: sql`${notices.happenedAt}` },
  webhook: {
    bugId: sql`${webhookDeliveries.bugId}`,
    created: sql`${webhookDeliveries.createdAt}`,
  },
  push: {
    bugId: sql`${codehostPushes.bugId}`,
    created: sql`(SELECT ${codehostDeliveries.receivedAt} FROM codehost_deliveries
      WHERE ${codehostDeliveries.id} = ${codehostPushes.deliveryId})`,
  },
  reminder: {
    bugId: sql`${reminders.bugId}`,
    created: sql`unixepoch(${reminders.createdOn})`,
  },
  key: { bugId: sql`NULL`, created: sql`${apiKeyMails.plannedAt}` },
  account: { bugId: sql`NULL`, created: sql`${accountLinks.createdAt}` },
}

type UndeliveredRow = {
  id: number
  bugId: number | null
  created: number
  attempts: number
  lastError: string | null
  nextAttemptAt: number
  doneAt: number | null
}

export const listUndelivered = operation(
  {
    method: 'GET',
    path: '/undelivered',
    summary: 'List mails, calls of webhooks, pushes and reminders that did not get through',
    reference: 'undelivered.md#list-what-did-not-get-through',
    input: z.object({
      ...pageInput,
      ...selectionInput,
    }),
    output: z.strictObject({ undelivered: z.array(undeliveredShape) }),
    faults: [numberTooLarge, offsetWithoutLimit],
    requires: role('admin', 'see what was not delivered'),
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    const { limit, offset } = pageOfList(input, MAX_LISTED, MAX_OFFSET)
    const most = offset + limit
    const rows = await readBatch(ctx, {
      mail: selectUndelivered('mail', most, ctx.now),
      webhook: selectUndelivered('webhook', most, ctx.now),
      push: selectUndelivered('push', most, ctx.now),
      reminder: selectUndelivered('reminder', most, ctx.now),
      key: selectUndelivered('key', most, ctx.now),
      account: selectUndelivered('account', most, ctx.now),
    })
    const selection = new Selection(input)
    const all = UNDELIVERED_KINDS.flatMap((kind) => rows[kind].map((row) => ({ kind, row })))
    return {
      undelivered: all
        .sort((a, b) => b.row.created - a.row.created)
        .slice(offset, most)
        .map(({ kind, row }) => selection.prune(presentUndelivered(kind, row))),
    }
  }),
)

/** The newest of a kind. An index serves each part, so that delivered rows are not read. */
function selectUndelivered(kind: UndeliveredKind, most: number, now: number) {
  const { table } = OUTBOXES[outboxKindOf(kind)]
  const { bugId, created } = DETAILS[kind]
  // in the order of this index, which ends after as many
  const index = sql.identifier(`${getTableName(table)}_failed`)
  const failed = sql`SELECT ${table.id} FROM ${table} INDEXED BY ${index} WHERE ${table.lastError} IS NOT NULL
    ORDER BY ${table.id} DESC ${limitTo(most)}`
  // the plus sign keeps SQLite from walking through the whole table in the order of the IDs
  const overdue = sql`SELECT ${table.id} FROM ${table} WHERE ${overdueCondition(table, OVERDUE_SECONDS, now)}
    ORDER BY +${table.id} DESC ${limitTo(most)}`
  return db
    .select({
      id: sql<number>`${table.id}`.as('id'),
      bugId: bugId.as('bug_id'),
      created: created.as('created'),
      attempts: sql<number>`${table.attempts}`.as('attempts'),
      lastError: sql<string | null>`${table.lastError}`.as('last_error'),
      nextAttemptAt: sql<number>`${table.nextAttemptAt}`.as('next_attempt_at'),
      doneAt: sql<number | null>`${table.doneAt}`.as('done_at'),
    })
    .from(table)
    .where(sql`${table.id} IN (SELECT * FROM (${failed}) UNION SELECT * FROM (${overdue}))`)
    .orderBy(desc(table.id))
    .limit(most)
}

function presentUndelivered(
  kind: UndeliveredKind,
  row: UndeliveredRow,
): z.output<typeof undeliveredShape> {
  return {
    id: formatUndeliveredId(kind, row.id),
    kind,
    bug_id: row.bugId,
    created: toDatetime(row.created),
    attempts: row.attempts,
    last_error: row.lastError,
    next_attempt: row.doneAt === null ? toDatetime(row.nextAttemptAt) : null,
  }
}
