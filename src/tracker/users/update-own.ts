import { hasRole, type Person } from '../../platform/access/caller.ts'
import { notAuthorized, throttled } from '../../platform/access/faults.ts'
import { checkPassword } from '../../platform/access/password.ts'
import type { PersonCtx } from '../../platform/context.ts'
import { type CommitParts, statementsOf } from '../../platform/db/commit.ts'
import { accountLinks } from '../../platform/db/schema/accounts.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { right } from '../../platform/http/operations/operation.ts'
import { fold, textOfAny } from '../../platform/lib/text.ts'
import { assertMayManageAccount } from './account/limited-key.ts'
import { assertCanMailLinks, newLinkColumns } from './links/links.ts'

type Parameters = Readonly<Record<string, unknown>>

/** What only administrators change. */
const ADMINISTRATIVE = [
  'password_change_required',
  'email_enabled',
  'login_denied_text',
  'groups',
  'bless_groups',
]

/** In an hour, by one person. */
const MAX_EMAIL_LINKS = 3

/**
 * People with the right to edit users, and everybody about name, password and address of their own. `isOwn` says that
 * the change stands on the present password instead of the right.
 */
export const editorsAndOneself = right((ctx, parameters) => {
  const { caller } = ctx
  const mayEdit = hasRole(caller, 'editusers')
  const isOneself = namesOnly(caller, parameters)
  if (!mayEdit && !(isOneself && ADMINISTRATIVE.every((name) => isAbsent(parameters[name])))) {
    throw fault(notAuthorized, { action: 'edit users' })
  }
  return { isOwn: isOneself && (!mayEdit || !isAbsent(parameters.current_password)) }
})

function namesOnly({ id, login }: Person, { id_or_name: path, ids, names }: Parameters): boolean {
  const isOwnId = (value: unknown) => textOfAny(value).trim() === String(id)
  const isOwnLogin = (value: unknown) => fold(textOfAny(value).trim()) === fold(login)
  return (
    (isOwnId(path) || isOwnLogin(path)) &&
    [ids ?? []].flat().every(isOwnId) &&
    [names ?? []].flat().every(isOwnLogin)
  )
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/**
 * Commits what `decide` returns under the present password of the caller, which counts towards the lockout when it is
 * wrong. `decide` reads in the session that it is given. Returns the rows of the commit.
 */
export async function commitWithPassword(
  ctx: PersonCtx,
  currentPassword: string | undefined,
  decide: (read: SessionHolder) => Promise<CommitParts>,
): Promise<readonly Record<string, unknown>[]> {
  assertMayManageAccount(ctx.caller)
  if (currentPassword === undefined) {
    throw fault(parameterMissing, { field: 'current_password' })
  }
  const { rows } = await checkPassword(ctx, {
    login: ctx.caller.login,
    password: currentPassword,
    isRenewal: true,
    secondFactor: 'skipped',
    statements: async (_, read) => statementsOf(await decide(read)),
  })
  return rows
}

/** The newest links of a person to another address, as many as make a further one too many. */
export function selectEmailLinks({ caller, now }: PersonCtx) {
  return db
    .select({ id: accountLinks.id })
    .from(accountLinks)
    .where(
      sql`${accountLinks.userId} = ${caller.id} AND ${accountLinks.kind} = 'email'
        AND ${accountLinks.createdAt} > ${now - 3600}`,
    )
    .limit(MAX_EMAIL_LINKS)
}

/**
 * A link to the address that is to be the login: a login that nobody has confirmed could match the pattern of
 * a group, or be somebody else's address.
 */
export async function newEmailLink(ctx: PersonCtx, login: string, recent: readonly unknown[]) {
  assertCanMailLinks(ctx)
  if (recent.length >= MAX_EMAIL_LINKS) {
    throw fault(throttled)
  }
  return newLinkColumns(ctx, { kind: 'email', login })
}
