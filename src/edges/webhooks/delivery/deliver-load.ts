import { eq } from 'drizzle-orm'
import { accountColumns } from '../../../platform/access/account.ts'
import { mailableAccountCondition } from '../../../platform/access/mail-accounts.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { notices } from '../../../platform/db/schema/notices.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import { aliasColumns, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { type DeliveryEvent, isSent, kindOfDelivery } from './kinds.ts'

const author = aliasColumns(users, 'author')
const failed = aliasColumns(webhookDeliveries, 'failed')

/** A delivery with its webhook, the account of its owner, and the notice that it is about. */
export type LoadedDelivery = Awaited<ReturnType<typeof loadDeliveries>>[number]

/** Of a ping nothing is known of a notice, nor of one that is gone. */
export async function loadDeliveries(ctx: Ctx, ids: readonly number[]) {
  const { deliveries } = await readBatch(ctx, {
    deliveries: db
      .select({
        ...accountColumns,
        id: sql<number>`${webhookDeliveries.id}`.as('delivery_id'),
        event: sql<DeliveryEvent>`${webhookDeliveries.event}`.as('event'),
        bugId: sql<number | null>`${webhookDeliveries.bugId}`.as('bug_id'),
        noticeId: webhookDeliveries.noticeId,
        subjectId: webhookDeliveries.subjectId,
        createdAt: sql<number>`${webhookDeliveries.createdAt}`.as('created_at'),
        lastError: webhookDeliveries.lastError,
        webhookId: webhookDeliveries.webhookId,
        ...pick(webhooks, 'name', 'url', 'isEnabled', 'heldAfterId'),
        ...pick(webhooks, 'headerName', 'headerSealed', 'secretSealed'),
        // whether its owner gets mail
        takesMail: sql<boolean>`${mailableAccountCondition(ctx.settings)}`
          .mapWith(Boolean)
          .as('takes_mail'),
        happenedAt: notices.happenedAt,
        authorId: notices.authorId,
        authorLogin: sql<string | null>`${author.login}`.as('author_login'),
        authorName: sql<string | null>`${author.realName}`.as('author_name'),
        // of the delivery that disabled the webhook
        failure: sql<string | null>`CASE WHEN NOT ${isSent()} THEN
          (SELECT json_array(${failed.attempts}, ${failed.lastError}) FROM webhook_deliveries failed
          WHERE ${failed.id} = ${webhookDeliveries.subjectId}) END`.as('failure'),
      })
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
      .innerJoin(users, eq(users.id, webhooks.userId))
      .leftJoin(notices, eq(notices.id, webhookDeliveries.noticeId))
      .leftJoin(sql`users author`, sql`${author.id} = ${notices.authorId}`)
      .where(sql`${webhookDeliveries.id} IN ${jsonList(ids)}`),
  })
  return deliveries.map((delivery) => ({ ...delivery, kind: kindOfDelivery(delivery.event) }))
}
