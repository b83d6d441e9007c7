import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { parseBugRef, requireVisibleBugs, resolveBugs } from '../../platform/access/bug-set.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { abortIf, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { dayInvalid, fault, textTooLong } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { cleanBody, lengthOf } from '../../platform/lib/text.ts'
import { parseDay, startOfDay, toDay } from '../../platform/lib/time.ts'
import { tooManyReminders } from './faults.ts'
import { presentReminder, reminderShape } from './present.ts'

const MAX_NOTE_LENGTH = 255

/** Orders a mail about a visible bug for a day, which may be over. */
export const createReminder = operation(
  {
    method: 'POST',
    path: '/reminder',
    makes: '/reminder/:id',
    summary: 'Order a mail about a bug for a day',
    reference: 'reminders.md#set-a-reminder',
    input: z.object({
      bug_id: text(),
      note: text(),
      reminder_ts: text(),
      ...selectionInput,
    }),
    output: reminderShape,
    faults: [...bugAccessFaults, dayInvalid, textTooLong, tooManyReminders],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const remindOn = requireDay(input.reminder_ts ?? '')
    const note = requireNote(input.note ?? '')
    const refs = [parseBugRef(input.bug_id ?? '')]
    const createdOn = toDay(ctx.now)
    const most = ctx.settings.REMINDER_LIMIT
    const waiting = countWaiting(caller.id)
    const { resolved, counted } = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      counted: db.select({ total: waiting.as('total') }).from(sql`(SELECT 1)`),
    })
    const [bugId = 0] = requireVisibleBugs(caller, refs, resolved)
    if ((counted[0]?.total ?? 0) >= most) {
      throw fault(tooManyReminders, { most })
    }
    const row = { userId: caller.id, bugId, note, remindOn, createdOn }
    const { created } = await commit(ctx, {
      created: db
        .insert(reminders)
        .values({ ...row, nextAttemptAt: startOfDay(remindOn) })
        .returning({ id: reminders.id }),
      limit: abortIf(sql`${waiting} > ${most}`),
    })
    const id = Number(created[0]?.id)
    return new Selection(input).prune(presentReminder({ ...row, id, isSent: 0 }))
  },
)

function countWaiting(personId: number): SQL<number> {
  return sql<number>`(SELECT count(*) FROM reminders
    WHERE ${reminders.userId} = ${personId} AND ${reminders.doneAt} IS NULL)`
}

/** Only the form that answers have: a time of day would be lost. */
function requireDay(given: string): string {
  const day = /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(given) ? parseDay(given) : null
  if (day === null) {
    throw fault(dayInvalid, { field: 'reminder_ts', value: given.slice(0, 100) })
  }
  return day
}

function requireNote(given: string): string {
  const note = cleanBody(given)
  const length = lengthOf(note)
  if (length > MAX_NOTE_LENGTH) {
    throw fault(textTooLong, { field: 'note', length, most: MAX_NOTE_LENGTH })
  }
  return note
}
