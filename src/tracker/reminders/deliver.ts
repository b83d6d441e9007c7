import { eq } from 'drizzle-orm'
import { mailableAccountCondition } from '../../platform/access/mail-accounts.ts'
import { bugVisibleToCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { deliverMails } from '../../platform/mail/deliver-mails.ts'
import { findMailHost } from '../../platform/mail/thread.ts'
import { OUTBOXES, type RowRequest, type WorkOutcome } from '../../platform/outbox/outbox.ts'
import { composeReminderMail } from './reminder-mail.ts'

/**
 * Sends the mails of reminders whose day has come. A reminder whose owner gets no mail, or no longer sees the bug, is
 * done without one.
 */
export function deliverReminders(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return deliverMails(ctx, OUTBOXES.reminder, request, async (ids) => ({
    mails: await loadMails(ctx, ids),
  }))
}

async function loadMails(ctx: Ctx, ids: readonly number[]) {
  const { rows } = await readBatch(ctx, {
    rows: db
      .select({
        ...pick(reminders, 'id', 'note', 'createdOn', 'remindOn', 'bugId'),
        summary: bugs.summary,
        groupCount: bugs.groupCount,
        userId: reminders.userId,
        login: users.login,
      })
      .from(reminders)
      .innerJoin(users, eq(users.id, reminders.userId))
      .innerJoin(bugs, eq(bugs.id, reminders.bugId))
      .where(
        sql`${reminders.id} IN ${jsonList(ids)} AND ${mailableAccountCondition(ctx.settings)}
          AND ${bugVisibleToCondition(sql`${users.id}`)}`,
      ),
  })
  const site = {
    baseUrl: ctx.baseUrl,
    host: findMailHost(ctx),
    headerPrefix: ctx.settings.MAIL_HEADER_PREFIX,
  }
  return rows.map(({ id, bugId, summary, groupCount, userId, login, ...reminder }) => ({
    ...composeReminderMail({
      ...reminder,
      id,
      bug: { id: bugId, summary, isRestricted: groupCount > 0 },
      reader: { id: userId, login },
      site,
    }),
    rowId: id,
  }))
}
