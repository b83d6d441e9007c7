import { and, asc, desc, eq, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import { bugInScopeCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { offsetWithoutLimit } from '../../platform/faults/parameters.ts'
import { count, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { reminderUnknown } from './faults.ts'
import { presentReminder, reminderColumns, reminderShape } from './present.ts'
import { requireReminderId } from './reminder-id.ts'

export const listRemindersInput = z.object({ limit: count(), offset: count(), ...selectionInput })
export const listRemindersOutput = z.strictObject({ reminders: z.array(reminderShape) })

export const getReminderInput = z.object({ id: z.string(), ...selectionInput })
export const getReminderOutput = reminderShape

/** The reminders of the caller; through an API key for some products, those about bugs of these. */
export function reachableReminderCondition(caller: Person): SQL {
  return sql`(${reminders.userId} = ${caller.id} AND ${bugInScopeCondition(caller, reminders.bugId)})`
}

/** Reminders in one answer: as many as one person may be waiting for, at least. */
const MAX_LISTED = 5000

/**
 * GET /reminder: the reminders of the caller, those that were sent too, by number. Without `limit` only the oldest
 * that were sent are left out of an answer that would be too long. Faults 410, 50 for `offset` without `limit`.
 * Reference: reminders.md, "List reminders".
 */
export async function listReminders(ctx: Ctx, input: z.output<typeof listRemindersInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const { limit, offset = 0 } = input
  if (limit === undefined && input.offset !== undefined) {
    throw fault(offsetWithoutLimit)
  }
  const order =
    limit === undefined ? [desc(isNull(reminders.doneAt)), desc(reminders.id)] : [asc(reminders.id)]
  const { rows } = await readBatch(ctx, {
    rows: db
      .select(reminderColumns)
      .from(reminders)
      .where(reachableReminderCondition(caller))
      .orderBy(...order)
      .limit(Math.min(limit || MAX_LISTED, MAX_LISTED))
      .offset(offset),
  })
  const selection = new Selection(input)
  const sorted = rows.toSorted((a, b) => a.id - b.id)
  return { reminders: sorted.map((row) => selection.prune(presentReminder(row))) }
}

/**
 * GET /reminder/{id}: a reminder of the caller. Faults 410, 51 for one that does not exist or belongs to
 * somebody else, 32000 for an ID that is no number. Reference: reminders.md, "Get a reminder".
 */
export async function getReminder(ctx: Ctx, input: z.output<typeof getReminderInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const id = requireReminderId(input.id)
  const { rows } = await readBatch(ctx, {
    rows: db
      .select(reminderColumns)
      .from(reminders)
      .where(and(eq(reminders.id, id), reachableReminderCondition(caller))),
  })
  const [row] = rows
  if (row === undefined) {
    throw fault(reminderUnknown, { id: input.id.trim().slice(0, 100) })
  }
  return new Selection(input).prune(presentReminder(row))
}
