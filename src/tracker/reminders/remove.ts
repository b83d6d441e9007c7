import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { commit } from '../../platform/db/commit.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { reachableReminderCondition } from './get.ts'
import { requireReminderId } from './reminder-id.ts'

export const removeReminderInput = z.object({ id: z.string() })
export const removeReminderOutput = z.strictObject({ success: z.int() })

/**
 * DELETE /reminder/{id}: removes a reminder of the caller, sent or not; 0 when the caller has none of this ID.
 * Faults 410, 32000 for an ID that is no number. Reference: reminders.md, "Remove a reminder".
 */
export async function removeReminder(ctx: Ctx, input: z.output<typeof removeReminderInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const id = requireReminderId(input.id)
  const { removed } = await commit(ctx, {
    removed: db
      .delete(reminders)
      .where(and(eq(reminders.id, id), reachableReminderCondition(caller)))
      .returning({ id: reminders.id }),
  })
  return { success: removed.length }
}
