import * as z from 'zod'
import { throttled } from '../../../platform/access/faults.ts'
import { mailableAccountCondition } from '../../../platform/access/mail-accounts.ts'
import type { Ctx } from '../../../platform/context.ts'
import { commit } from '../../../platform/db/commit.ts'
import { accountLinks } from '../../../platform/db/schema/accounts.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { columnNames, sql } from '../../../platform/db/sql.ts'
import { emailInvalid, fault } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { requiredText, text } from '../../../platform/http/operations/shapes.ts'
import { toNetwork } from '../../../platform/lib/address.ts'
import { commaList, fold } from '../../../platform/lib/text.ts'
import { accountMailsOff, registrationClosed, registrationDomain } from '../faults.ts'
import { parseLogin, parseRealName } from '../values.ts'
import { announceLink, assertCanMailLinks, type LinkKind, newLinkColumns } from './links.ts'

/** In an hour: mails to one login, and requests of one address about whomever. */
const MAX_MAILS_PER_LOGIN = 3
const MAX_REQUESTS_PER_ADDRESS = 30
const HOUR_SECONDS = 3600

/** Characters. No login is longer. */
const MAX_LOGIN_LENGTH = 255

export const requestPassword = operation(
  {
    method: 'POST',
    path: '/account/password_reset',
    summary: 'Ask for a mail with a link that sets a new password',
    reference: 'accounts.md#forget-a-password',
    input: z.object({ login: requiredText() }),
    output: z.strictObject({}),
    faults: [accountMailsOff],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
    status: 202,
  },
  async (ctx, input) => {
    assertCanMailLinks(ctx)
    const login = input.login.trim().slice(0, MAX_LOGIN_LENGTH)
    return requestLink(ctx, { kind: 'password', login, realName: '' })
  },
)

/** An address that has an account gets the link of a forgotten password, so that nobody learns who has one. */
export const register = operation(
  {
    method: 'POST',
    path: '/account',
    summary: 'Ask for an account of your own',
    reference: 'accounts.md#register',
    input: z.object({ email: text(), full_name: text() }),
    output: z.strictObject({}),
    faults: [accountMailsOff, emailInvalid, registrationClosed, registrationDomain],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
    status: 202,
  },
  async (ctx, input) => {
    const { ALLOW_REGISTRATION, REGISTRATION_DOMAINS } = ctx.settings
    if (!ALLOW_REGISTRATION) {
      throw fault(registrationClosed)
    }
    assertCanMailLinks(ctx)
    const login = parseLogin(input.email)
    const domain = fold(login.slice(login.indexOf('@') + 1))
    const domains = commaList(REGISTRATION_DOMAINS).map(fold)
    if (domains.length > 0 && !domains.includes(domain)) {
      throw fault(registrationDomain, { domain })
    }
    const realName = parseRealName(input.full_name ?? '')
    return requestLink(ctx, { kind: 'registration', login, realName })
  },
)

/**
 * Writes a link and has its mail sent after the answer. One statement does the same work for every login, and every
 * request leaves a row, so that neither the answer nor its time tells who has an account.
 */
async function requestLink(
  ctx: Ctx,
  { kind, login, realName }: { kind: LinkKind; login: string; realName: string },
): Promise<Record<string, never>> {
  const { now, settings } = ctx
  const link = await newLinkColumns(ctx, { kind, login })
  const ip = toNetwork(ctx.ip)
  const since = now - HOUR_SECONDS
  const ofLogin = sql`(SELECT count(*) FROM account_links
    WHERE ${accountLinks.loginFold} = ${link.loginFold} AND ${accountLinks.createdAt} > ${since})`
  const ofAddress = sql`(SELECT count(*) FROM account_links
    WHERE ${accountLinks.ip} = ${ip} AND ${accountLinks.createdAt} > ${since})`
  const isMailed =
    kind === 'registration'
      ? sql`(${users.id} IS NULL OR ${mailableAccountCondition(settings)})`
      : sql`(${users.id} IS NOT NULL AND ${mailableAccountCondition(settings)})`
  const { id, userId, hash, sealed, createdAt, expiresAt, nextAttemptAt, doneAt } = accountLinks
  const columns = columnNames(
    ...[accountLinks.kind, userId, accountLinks.login, accountLinks.loginFold],
    ...[accountLinks.realName, hash, sealed, accountLinks.ip],
    ...[createdAt, expiresAt, nextAttemptAt, doneAt],
  )
  const { rows } = await commit(ctx, {
    rows: sql`INSERT INTO account_links (${columns})
      SELECT CASE WHEN ${users.id} IS NULL THEN ${kind} ELSE 'password' END, ${users.id},
        coalesce(${users.login}, ${login}), ${link.loginFold}, ${realName}, ${link.hash}, ${link.sealed}, ${ip},
        ${link.createdAt}, ${link.expiresAt}, ${link.nextAttemptAt},
        CASE WHEN NOT ${isMailed} OR ${ofLogin} >= ${MAX_MAILS_PER_LOGIN} THEN ${now} END
      FROM (SELECT 1) LEFT JOIN users ON ${users.loginFold} = ${link.loginFold}
      WHERE ${ofAddress} < ${MAX_REQUESTS_PER_ADDRESS}
      RETURNING ${columnNames(id)} AS link_id, ${columnNames(doneAt)} IS NULL AS is_mailed`,
  })
  if (rows.length === 0) {
    throw fault(throttled)
  }
  announceLink(
    ctx,
    rows.filter(({ is_mailed }) => is_mailed === 1),
  )
  return {}
}
