import { eq } from 'drizzle-orm'
import { mailableAccountCondition } from '../../platform/access/mail-accounts.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeyMails, apiKeys, users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { deliverMails } from '../../platform/mail/deliver-mails.ts'
import { findMailHost } from '../../platform/mail/thread.ts'
import { OUTBOXES, type RowRequest, type WorkOutcome } from '../../platform/outbox/outbox.ts'
import { composeApiKeyMail } from './api-key-mail.ts'

const later = aliasColumns(apiKeyMails, 'later')

/**
 * Sends the mails about API keys that expire. One whose key was
 * revoked, replaced or given another expiry since, whose owner gets no mail, or which a later one overtakes, is done
 * without.
 */
export function deliverApiKeyMails(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return deliverMails(ctx, OUTBOXES.key, request, async (ids) => {
    const { due } = await readBatch(ctx, { due: selectDue(ctx, ids) })
    const site = { baseUrl: ctx.baseUrl, host: findMailHost(ctx) }
    const compose = (row: (typeof due)[number]) => composeApiKeyMail({ ...row, now: ctx.now, site })
    return { mails: due.map((row) => ({ ...compose(row), rowId: row.id })) }
  })
}

function selectDue(ctx: Ctx, ids: readonly number[]) {
  return db
    .select({
      ...pick(apiKeyMails, 'id', 'keyId', 'expiresAt'),
      description: apiKeys.description,
      prefix: apiKeys.prefix,
      login: users.login,
    })
    .from(apiKeyMails)
    .innerJoin(apiKeys, eq(apiKeys.id, apiKeyMails.keyId))
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(
      sql`${apiKeyMails.id} IN ${jsonList(ids)} AND ${mailableAccountCondition(ctx.settings)}
        AND ${apiKeys.revoked} = 0 AND ${apiKeys.replacedById} IS NULL
        AND ${apiKeys.expiresAt} = ${apiKeyMails.expiresAt}
        AND NOT EXISTS (SELECT 1 FROM api_key_mails later
          WHERE ${later.keyId} = ${apiKeyMails.keyId} AND ${later.id} > ${apiKeyMails.id}
            AND ${later.expiresAt} = ${apiKeyMails.expiresAt}
            AND ${later.nextAttemptAt} <= ${ctx.now})`,
    )
}
