import type { SQL } from 'drizzle-orm'
import {
  isExcludedAddress,
  mailableAccountCondition,
} from '../../../platform/access/mail-accounts.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { accountLinks } from '../../../platform/db/schema/accounts.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { columnName, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { unseal } from '../../../platform/lib/crypto/secrets.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { throwUnlessAccepted } from '../../../platform/mail/outcome.ts'
import { sendMails } from '../../../platform/mail/send.ts'
import { findMailHost } from '../../../platform/mail/thread.ts'
import { FinalError } from '../../../platform/outbox/errors.ts'
import {
  createFinisher,
  OUTBOXES,
  type Outcome,
  processOutboxTogether,
  type RowRequest,
} from '../../../platform/outbox/outbox.ts'
import { composeAccountMail } from './account-mail.ts'
import { canMailLinks, type LinkKind } from './links.ts'

/**
 * Sends the mails with links, at least once, each time with the same link, and forgets the token of one that was sent.
 * A link that was used, has ended, or whose account gets no mail is done without.
 */
export function deliverAccountMails(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, Outcome>> {
  return processOutboxTogether(ctx, OUTBOXES.account, request, async (rows) => {
    const { due } = await readBatch(ctx, { due: selectDue(ctx, rows) })
    const opened = await Promise.all(
      due.map(async (row) => ({
        ...row,
        token: await unseal(row.sealed ?? '', ctx.env.SECRETS_KEY),
      })),
    )
    const unreadable = new Set(opened.flatMap(({ id, token }) => (token === null ? id : [])))
    const site = { baseUrl: ctx.baseUrl, host: findMailHost(ctx) }
    const mails = opened.flatMap((row) =>
      row.token === null || !canMailLinks(ctx) || isExcludedAddress(ctx.settings, row.login)
        ? []
        : {
            ...composeAccountMail({
              ...{ ...row, kind: row.kind as LinkKind, token: row.token, site },
              ...{ to: row.login, login: row.userLogin ?? row.login },
            }),
            rowId: row.id,
          },
    )
    const finish = createFinisher(ctx, OUTBOXES.account, rows)
    const sent = await sendMails(ctx, mails, ({ rowId }) => finish(rowId, [forgetToken(rowId)]))
    const outcomes = new Map([...sent].map(([{ rowId }, outcome]) => [rowId, outcome]))
    return async ({ id }) => {
      if (unreadable.has(Number(id))) {
        throw new FinalError('the link was made under another SECRETS_KEY')
      }
      throwUnlessAccepted(outcomes.get(Number(id)), 'the mail')
      return [forgetToken(Number(id))]
    }
  })
}

function forgetToken(id: number): SQL {
  return sql`UPDATE account_links SET ${columnName(accountLinks.sealed)} = NULL WHERE ${accountLinks.id} = ${id}`
}

function selectDue(ctx: Ctx, rows: readonly Record<string, unknown>[]) {
  return db
    .select({
      ...pick(accountLinks, 'id', 'kind', 'login', 'sealed', 'createdAt', 'expiresAt'),
      userLogin: sql<string | null>`${users.login}`.as('user_login'),
    })
    .from(accountLinks)
    .leftJoin(users, sql`${users.id} = ${accountLinks.userId}`)
    .where(
      sql`${accountLinks.id} IN ${jsonList(rows.map(({ id }) => Number(id)))}
        AND ${accountLinks.usedAt} IS NULL AND ${accountLinks.expiresAt} > ${ctx.now}
        AND ${accountLinks.sealed} IS NOT NULL
        AND (${accountLinks.userId} IS NULL OR ${mailableAccountCondition(ctx.settings)})`,
    )
}
