import type { SQL } from 'drizzle-orm'
import { sql } from '../../platform/db/sql.ts'
import { OUTBOXES, type OutboxKind, overdueCondition } from '../../platform/outbox/outbox.ts'

/** The kinds of later work as clients know them, and their outboxes. */
const OUTBOX_BY_KIND = {
  mail: 'notice',
  webhook: 'webhook',
  push: 'push',
  reminder: 'reminder',
  key: 'key',
  account: 'account',
} as const satisfies Record<string, OutboxKind>

export type UndeliveredKind = keyof typeof OUTBOX_BY_KIND

export const UNDELIVERED_KINDS = Object.keys(OUTBOX_BY_KIND) as UndeliveredKind[]

/** Longer than the time between two sweeps, which make up for lost queue messages. */
export const OVERDUE_SECONDS = 10 * 60

const ID = new RegExp(`^(${UNDELIVERED_KINDS.join('|')})-(\\d{1,15})$`)

/** The kind of the queue messages, and the outbox, of a kind that clients know. */
export function outboxKindOf(kind: UndeliveredKind): OutboxKind {
  return OUTBOX_BY_KIND[kind]
}

/** An ID that is unique over all kinds: `mail-17`. */
export function formatUndeliveredId(kind: UndeliveredKind, rowId: number): string {
  return `${kind}-${rowId}`
}

/** Parses an ID of `formatUndeliveredId`; null for anything else. */
export function parseUndeliveredId(text: string): { kind: UndeliveredKind; rowId: number } | null {
  const [, kind, rowId] = ID.exec(text.trim()) ?? []
  return kind === undefined ? null : { kind: kind as UndeliveredKind, rowId: Number(rowId) }
}

/** Whether the last attempt failed, or the row is long overdue. */
export function undeliveredCondition(kind: UndeliveredKind, now: number): SQL {
  const { table } = OUTBOXES[outboxKindOf(kind)]
  return sql`(${table.lastError} IS NOT NULL OR ${overdueCondition(table, OVERDUE_SECONDS, now)})`
}
