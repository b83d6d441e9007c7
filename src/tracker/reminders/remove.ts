import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { db } from '../../platform/db/sql.ts'
import { idMalformed } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { reachableReminderCondition } from './get.ts'
import { requireReminderId } from './reminder-id.ts'

/** Removes a reminder of the caller, sent or not; returns 0 if there is none. */
export const removeReminder = operation(
  {
    method: 'DELETE',
    path: '/reminder/:id',
    summary: 'Remove a reminder of the caller',
    reference: 'reminders.md#remove-a-reminder',
    input: z.object({ id: z.string() }),
    output: z.strictObject({ success: z.int() }),
    faults: [idMalformed],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const id = requireReminderId(input.id)
    const { removed } = await commit(ctx, {
      removed: db
        .delete(reminders)
        .where(and(eq(reminders.id, id), reachableReminderCondition(ctx.caller)))
        .returning({ id: reminders.id }),
    })
    return { success: removed.length }
  },
)
