import { codehostPushes } from '../db/schema/codehost.ts'
import { notices } from '../db/schema/notices.ts'
import { reminders } from '../db/schema/reminders.ts'
import { apiKeyMails } from '../db/schema/users.ts'
import { webhookDeliveries } from '../db/schema/webhooks.ts'
import type { Outbox } from './outbox.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

/**
 * Attempts until a retry is not worth it. With their delays they last over two days, so that an exhausted daily
 * quota is renewed in between.
 */
const MAX_ATTEMPTS = 14

/** The kinds of later work, as queue messages name them. */
export const OUTBOX_KINDS = ['notice', 'webhook', 'push', 'reminder', 'key'] as const

export type OutboxKind = (typeof OUTBOX_KINDS)[number]

/** The outbox of each kind: how often a failure is retried, and for how long its rows are kept. */
export const OUTBOXES: Readonly<Record<OutboxKind, Outbox>> = {
  notice: { table: notices, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 30 * DAY },
  reminder: { table: reminders, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: null },
  key: { table: apiKeyMails, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 30 * DAY },
  push: { table: codehostPushes, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 7 * DAY },
  // four growing delays, then a quarter of an hour each for about a day
  webhook: {
    table: webhookDeliveries,
    maxAttempts: 100,
    delayAfter: (attempts) => Math.min(15 * MINUTE, 5 ** attempts),
    keepSeconds: 30 * DAY,
  },
}

/**
 * The delay of a retry in seconds after this many attempts: a minute after the first, doubled each time, at most
 * 12 hours.
 */
export function delayAfter(attempts: number): number {
  return Math.min(12 * HOUR, (MINUTE / 2) * 2 ** attempts)
}
