import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../../platform/context.ts'
import type { Statement } from '../../../platform/db/commit.ts'
import { accountLinks } from '../../../platform/db/schema/accounts.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, columnName, db, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { newLinkToken, seal, sha256Hex } from '../../../platform/lib/crypto/secrets.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { fold } from '../../../platform/lib/text.ts'
import { accountMailsOff, linkInvalid } from '../faults.ts'

const u = aliasColumns(users, 'u')

const HOUR_SECONDS = 3600

/** What a link is for, and how many seconds it works. */
export const LINK_KINDS = {
  /** A new password, which its owner asked for. */
  password: HOUR_SECONDS,
  /** The first password of an account that an administrator made. */
  invitation: 7 * 24 * HOUR_SECONDS,
  /** An account for somebody who registers. */
  registration: HOUR_SECONDS,
  /** Another login. */
  email: HOUR_SECONDS,
} as const

export type LinkKind = keyof typeof LINK_KINDS

/** Links that set a password, at the same page. */
export const PASSWORD_LINKS: readonly LinkKind[] = ['password', 'invitation', 'registration']

/** Whether mails with links can be sent: a link needs an address that no request can choose. */
export function canMailLinks({ settings }: Pick<Ctx, 'settings'>): boolean {
  return settings.MAIL_FROM !== '' && settings.BASE_URL !== ''
}

export function assertCanMailLinks(ctx: Pick<Ctx, 'settings'>): void {
  if (!canMailLinks(ctx)) {
    throw fault(accountMailsOff)
  }
}

/** The columns of a new link that hang on nobody; its mail is due at once. */
export async function newLinkColumns(
  { env, now }: Pick<Ctx, 'env' | 'now'>,
  { kind, login }: { kind: LinkKind; login: string },
) {
  const token = newLinkToken()
  const [hash, sealed] = await Promise.all([hashLink(token), seal(token, env.SECRETS_KEY)])
  return {
    kind,
    login,
    loginFold: fold(login),
    hash,
    sealed,
    createdAt: now,
    expiresAt: now + LINK_KINDS[kind],
    nextAttemptAt: now,
  }
}

/** Inserts a link to an account, whose ID may be SQL; its row tells `announceLink` what to announce. */
export function insertLinkStatement(
  link: Awaited<ReturnType<typeof newLinkColumns>>,
  userId: number | SQL,
): Statement {
  return db
    .insert(accountLinks)
    .values({ ...link, userId })
    .returning({ linkId: sql<number>`${accountLinks.id}`.as('link_id') })
}

/** Has the mail of a link sent, whose ID is in the rows of its commit; the sweep finds it if the message is lost. */
export function announceLink(ctx: Ctx, rows: readonly Record<string, unknown>[]): void {
  const row = rows.find(({ link_id }) => link_id !== undefined)
  if (row !== undefined) {
    ctx.defer(() => ctx.env.EVENTS.send({ kind: 'account', id: Number(row.link_id) }))
  }
}

/** With its purpose, so that the hash of a link is that of no other credential. */
export function hashLink(token: string): Promise<string> {
  return sha256Hex(`account link ${token}`)
}

/** Selects an unused link of a mail, with the account that it is about. */
export function selectLink(hash: string, kinds: readonly LinkKind[], now: number) {
  return db
    .select({
      ...pick(accountLinks, 'id', 'kind', 'login', 'realName'),
      userId: accountLinks.userId,
      userLogin: sql<string | null>`${users.login}`.as('user_login'),
      ...pick(users, 'loginDeniedText', 'revision', 'passwordChangeRequired'),
      isTaken:
        sql<boolean>`EXISTS (SELECT 1 FROM users u WHERE ${u.loginFold} = ${accountLinks.loginFold}
        AND ${u.id} IS NOT ${accountLinks.userId})`
          .mapWith(Boolean)
          .as('is_taken'),
    })
    .from(accountLinks)
    .leftJoin(users, sql`${users.id} = ${accountLinks.userId}`)
    .where(
      sql`${accountLinks.hash} = ${hash} AND ${accountLinks.usedAt} IS NULL
        AND ${accountLinks.expiresAt} > ${now}
        AND ${accountLinks.kind} IN (SELECT value FROM json_each(${JSON.stringify(kinds)}))`,
    )
}

type LinkRow = Awaited<ReturnType<typeof selectLink>>[number]

/** An account as a link names it. */
export type LinkedUser = {
  readonly id: number
  readonly login: string
  readonly revision: number
  readonly passwordChangeRequired: boolean
}

/**
 * The link and its account, null for somebody who registers. Refuses one that has ended or is of a disabled account.
 */
export function requireLink([row]: readonly LinkRow[]) {
  if (row === undefined || (row.userId === null) !== (row.kind === 'registration')) {
    throw fault(linkInvalid)
  }
  const { userId, userLogin, revision, loginDeniedText, passwordChangeRequired } = row
  if (userId === null) {
    return { ...row, user: null }
  }
  if (userLogin === null || revision === null || loginDeniedText !== '') {
    throw fault(linkInvalid)
  }
  const user: LinkedUser = {
    id: userId,
    login: userLogin,
    revision,
    passwordChangeRequired: passwordChangeRequired === true,
  }
  return { ...row, user }
}

/** Ends a link in the commit of what it does, which fails as a conflict when it was used meanwhile. */
export function useLink(id: number, now: number): SQL {
  return sql`UPDATE account_links SET ${columnName(accountLinks.usedAt)} = ${now} WHERE ${accountLinks.id} = ${id} AND ${accountLinks.usedAt} IS NULL`
}
