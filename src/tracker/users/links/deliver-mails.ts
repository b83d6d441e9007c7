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
import { deliverMails } from '../../../platform/mail/deliver-mails.ts'
import { findMailHost } from '../../../platform/mail/thread.ts'
import { FinalError } from '../../../platform/outbox/errors.ts'
import { OUTBOXES, type RowRequest, type WorkOutcome } from '../../../platform/outbox/outbox.ts'
import { composeAccountMail } from './account-mail.ts'
import { canMailLinks, type LinkKind } from './links.ts'

/**
 * Sends the mails with links, each time with the same link, and forgets the token of one that was sent.
 * A link that was used, has ended, or whose account gets no mail is done without.
 */
export function deliverAccountMails(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return deliverMails(ctx, OUTBOXES.account, request, async (ids) => {
    const { due } = await readBatch(ctx, { due: selectDue(ctx, ids) })
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
              ...row,
              kind: row.kind as LinkKind,
              token: row.token,
              site,
              to: row.login,
              login: row.userLogin ?? row.login,
            }),
            rowId: row.id,
          },
    )
    const whenDone = (id: number) => {
      if (unreadable.has(id)) {
        throw new FinalError('the link was made under another SECRETS_KEY')
      }
      return [forgetToken(id)]
    }
    return { mails, whenDone }
  })
}

function forgetToken(id: number): SQL {
  return sql`UPDATE account_links SET ${columnName(accountLinks.sealed)} = NULL WHERE ${accountLinks.id} = ${id}`
}

function selectDue(ctx: Ctx, ids: readonly number[]) {
  return db
    .select({
      ...pick(accountLinks, 'id', 'kind', 'login', 'sealed', 'createdAt', 'expiresAt'),
      userLogin: sql<string | null>`${users.login}`.as('user_login'),
    })
    .from(accountLinks)
    .leftJoin(users, sql`${users.id} = ${accountLinks.userId}`)
    .where(
      sql`${accountLinks.id} IN ${jsonList(ids)}
        AND ${accountLinks.usedAt} IS NULL AND ${accountLinks.expiresAt} > ${ctx.now}
        AND ${accountLinks.sealed} IS NOT NULL
        AND (${accountLinks.userId} IS NULL OR ${mailableAccountCondition(ctx.settings)})`,
    )
}
