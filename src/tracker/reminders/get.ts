import { and, asc, desc, eq, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import { bugInScopeCondition } from '../../platform/access/visibility.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault, idMalformed, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { reminderUnknown } from './faults.ts'
import { presentReminder, reminderColumns, reminderShape } from './present.ts'
import { requireReminderId } from './reminder-id.ts'

/** The reminders of the caller; through an API key for some products, those about bugs of these. */
export function reachableReminderCondition(caller: Person): SQL {
  return sql`(${reminders.userId} = ${caller.id} AND ${bugInScopeCondition(caller, reminders.bugId)})`
}

/** Reminders in one answer: as many as one person may be waiting for, at least. */
const MAX_LISTED = 5000

/**
 * The reminders of the caller, those that were sent too, by number. Without `limit` only the oldest that
 * were sent are left out of an answer that would be too long.
 */
export const listReminders = operation(
  {
    method: 'GET',
    path: '/reminder',
    summary: 'List the reminders of the caller',
    reference: 'reminders.md#list-reminders',
    input: z.object({ ...pageInput, ...selectionInput }),
    output: z.strictObject({ reminders: z.array(reminderShape) }),
    faults: [offsetWithoutLimit],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const { limit, offset } = pageOfList(input, MAX_LISTED)
    const order =
      input.limit === undefined
        ? [desc(isNull(reminders.doneAt)), desc(reminders.id)]
        : [asc(reminders.id)]
    const { rows } = await readBatch(ctx, {
      rows: db
        .select(reminderColumns)
        .from(reminders)
        .where(reachableReminderCondition(ctx.caller))
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    })
    const selection = new Selection(input)
    const sorted = rows.toSorted((a, b) => a.id - b.id)
    return { reminders: sorted.map((row) => selection.prune(presentReminder(row))) }
  },
)

export const getReminder = operation(
  {
    method: 'GET',
    path: '/reminder/:id',
    summary: 'Read a reminder of the caller',
    reference: 'reminders.md#get-a-reminder',
    input: z.object({ id: z.string(), ...selectionInput }),
    output: reminderShape,
    faults: [idMalformed, reminderUnknown],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const id = requireReminderId(input.id)
    const { rows } = await readBatch(ctx, {
      rows: db
        .select(reminderColumns)
        .from(reminders)
        .where(and(eq(reminders.id, id), reachableReminderCondition(ctx.caller))),
    })
    const [row] = rows
    if (row === undefined) {
      throw fault(reminderUnknown, { id: input.id.trim().slice(0, 100) })
    }
    return new Selection(input).prune(presentReminder(row))
  },
)
