import { eq } from 'drizzle-orm'
import { mailableAccountCondition } from '../access/mail-accounts.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { type Outcome, processOutboxTogether, type RowRequest } from '../db/outbox.ts'
import { OUTBOXES } from '../db/outboxes.ts'
import { readBatch } from '../db/read-batch.ts'
import { apiKeyMails, apiKeys, users } from '../db/schema/users.ts'
import { aliasColumns, jsonList, sql } from '../db/sql.ts'
import { composeApiKeyMail } from '../mail/api-key-mail.ts'
import { throwUnlessAccepted } from '../mail/outcome.ts'
import { sendMails } from '../mail/send.ts'
import { findMailHost } from '../mail/thread.ts'

const later = aliasColumns(apiKeyMails, 'later')

/**
 * Sends the mails about API keys that expire, at least once, and returns the outcome of each. One whose key was
 * revoked, replaced or given another expiry since, whose owner gets no mail, or which a later one overtakes, is
 * done without. Reference: api-keys.md, "Expiry".
 */
export function deliverApiKeyMails(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, Outcome>> {
  return processOutboxTogether(ctx, OUTBOXES.key, request, async (rows) => {
    const ids = rows.map(({ id }) => Number(id))
    const { due } = await readBatch(ctx, { due: selectDue(ctx, ids) })
    const site = { baseUrl: ctx.baseUrl, host: findMailHost(ctx) }
    const mails = due.map((row) => ({
      ...composeApiKeyMail({ ...row, now: ctx.now, site }),
      rowId: row.id,
    }))
    const sent = await sendMails(ctx, mails)
    const outcomes = new Map([...sent].map(([{ rowId }, outcome]) => [rowId, outcome]))
    return async ({ id }) => {
      throwUnlessAccepted(outcomes.get(Number(id)), 'the mail')
      return []
    }
  })
}

function selectDue(ctx: Ctx, ids: readonly number[]) {
  return db
    .select({
      id: apiKeyMails.id,
      keyId: apiKeyMails.keyId,
      expiresAt: apiKeyMails.expiresAt,
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
