import { eq, type SQL } from 'drizzle-orm'
import { abortIf, commit, retryOnConflict, type Statement, WriteConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { secondFactors } from '../db/schema/accounts.ts'
import { loginFailures, users } from '../db/schema/users.ts'
import { aliasColumns, db, sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults/fault.ts'
import { toNetwork } from '../lib/address.ts'
import { verifyPassword } from '../lib/crypto/password-hash.ts'
import { pick } from '../lib/pick.ts'
import { fold } from '../lib/text.ts'
import { toDatetime } from '../lib/time.ts'
import { accountColumns, requireEnabledPerson } from './account.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Person } from './caller.ts'
import { badLogin, codeWrong, loginLocked, newPasswordRequired } from './faults.ts'
import { runInPasswordTurn } from './password-turns.ts'
import {
  decideSecondFactor,
  type SecondFactorDemand,
  secondFactorColumns,
} from './second-factor.ts'

const u = aliasColumns(users, 'u')

/** The failures of a login and the locks that they caused; the times are Unix seconds of their beginning. */
type LockState = {
  failures: number
  accountLockedAt: number | null
  addressLockedAt: number | null
}

/** Characters. No login is longer; the limit keeps failures of longer texts from filling the database. */
const MAX_LOGIN_LENGTH = 255

/** A login and a password, and what is done with them. */
type LoginAttempt = {
  readonly login: string
  readonly password: string
  readonly secondFactor: SecondFactorDemand
  /** Of the second factor. */
  readonly code?: string | undefined
  /** Whether the call replaces the password, so that one will do that has to be changed. */
  readonly isRenewal?: boolean
  /** What the login writes in its commit; decided anew, on the primary, after a conflict. */
  readonly statements?: (
    person: Person,
    ctx: AuthenticationContext,
  ) => Promise<readonly Statement[]>
}

/** The person of a login, and the rows that its statements return. */
type LoginResult = { readonly person: Person; readonly rows: readonly Record<string, unknown>[] }

/**
 * Finds the person of a login and password, in two round trips to the primary: one reads the account and its locks,
 * one commits the failure or the login with its `statements`. LOGIN_ATTEMPTS failures, wrong codes among them, within
 * LOGIN_LOCK_MINUTES
 * lock the account for that address, even for the right password, and LOGIN_ATTEMPTS_PER_ADDRESS lock the address.
 * Unknown logins take as long and count alike. The commit checks the lock and the account again, so that neither
 * parallel guesses nor an old password succeed.
 */
export async function checkPassword(
  ctx: AuthenticationContext,
  attempt: LoginAttempt,
): Promise<LoginResult> {
  const primary = ctx.session.readsPrimary ? ctx.session : ctx.session.onPrimary()
  return runInPasswordTurn(toNetwork(ctx.ip), () =>
    retryOnConflict({ ...ctx, session: primary }, (ctx) => attemptLogin(ctx, attempt)),
  )
}

async function attemptLogin(
  ctx: AuthenticationContext,
  {
    login,
    password,
    secondFactor,
    code = '',
    isRenewal = false,
    statements = async () => [],
  }: LoginAttempt,
): Promise<LoginResult> {
  const loginFold = fold(login.trim()).slice(0, MAX_LOGIN_LENGTH)
  const { accounts, locks } = await loadAttempt(ctx, loginFold)
  assertNotLocked(ctx, locks[0])
  const account = accounts[0]
  // what somebody types twice has to match: it was trimmed when it was set
  const isRight = await verifyPassword(password.trim(), account?.passwordHash ?? null)
  if (!isRight || account === undefined) {
    throw await recordFailure(ctx, loginFold, badLogin)
  }
  const needsRenewal = account.passwordChangeRequired && !isRenewal
  if (account.loginDeniedText !== '' || needsRenewal) {
    // the next fault reveals that the password is right, so a locked account must fail before it
    await assertStillUnlocked(ctx, loginFold, account)
  }
  const person = requireEnabledPerson(account)
  if (needsRenewal) {
    throw fault(newPasswordRequired)
  }
  const decision = await decideSecondFactor(ctx, account, secondFactor, code)
  if (decision === 'wrong code') {
    throw await recordFailure(ctx, loginFold, codeWrong)
  }
  if ('refusal' in decision) {
    await assertStillUnlocked(ctx, loginFold, account)
    throw fault(decision.refusal)
  }
  const rows = await commitLogin(ctx, loginFold, account, [
    db.delete(loginFailures).where(recentFailureConditions(ctx, loginFold).ofAccount),
    ...decision.statements,
    ...(await statements(person, ctx)),
  ])
  return { person, rows }
}

function loadAttempt(ctx: AuthenticationContext, loginFold: string) {
  return readBatch(ctx, {
    accounts: db
      .select({
        ...pick(users, 'passwordHash', 'passwordChangeRequired', 'revision'),
        ...accountColumns,
        ...secondFactorColumns(ctx.settings),
      })
      .from(users)
      .leftJoin(secondFactors, eq(secondFactors.userId, users.id))
      .where(eq(users.loginFold, loginFold)),
    locks: selectLock(ctx, loginFold),
  })
}

async function recordFailure(
  ctx: AuthenticationContext,
  loginFold: string,
  kind: typeof badLogin | typeof codeWrong,
): Promise<Fault> {
  const { settings, now } = ctx
  const ip = toNetwork(ctx.ip)
  const { locks } = await commit(ctx, {
    failure: db.insert(loginFailures).values({ loginFold, ip, failedAt: now }),
    expired: db.delete(loginFailures).where(sql`${loginFailures.failedAt} <= ${windowStart(ctx)}`),
    locks: selectLock(ctx, loginFold),
  })
  const row = locks[0] ?? {}
  assertNotLocked(ctx, {
    failures: Number(row.failures),
    accountLockedAt: row.account_locked_at as number | null,
    addressLockedAt: row.address_locked_at as number | null,
  })
  const left = settings.LOGIN_ATTEMPTS - Number(row.failures)
  const attempts = left === 1 ? 'attempt' : 'attempts'
  const minutes = settings.LOGIN_LOCK_MINUTES
  const hint = ` After ${left} more wrong ${attempts} this account is locked for ${minutes} minutes.`
  return fault(kind, { hint: left <= 2 ? hint : '' })
}

/** Whoever knows the password, and not the rest, has not logged in: the failures stay. */
async function assertStillUnlocked(
  ctx: AuthenticationContext,
  loginFold: string,
  account: { readonly userId: number; readonly revision: number },
): Promise<void> {
  await commitLogin(ctx, loginFold, account, [])
}

/**
 * Writes the statements of the login. Throws `WriteConflict` when the account changed since it was read, and refuses
 * one that was locked meanwhile.
 */
async function commitLogin(
  ctx: AuthenticationContext,
  loginFold: string,
  { userId, revision }: { readonly userId: number; readonly revision: number },
  statements: readonly Statement[],
) {
  const { ofAccount } = recentFailureConditions(ctx, loginFold)
  const lockedAt = lockStart(ofAccount, ctx.settings.LOGIN_ATTEMPTS)
  try {
    const written = await commit(ctx, {
      guard: abortIf(sql`${lockedAt} IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM users u WHERE ${u.id} = ${userId} AND ${u.revision} = ${revision})`),
      statements,
    })
    return written.statements
  } catch (error) {
    if (error instanceof WriteConflict) {
      const { locks } = await readBatch(ctx, { locks: selectLock(ctx, loginFold) })
      assertNotLocked(ctx, locks[0])
    }
    throw error
  }
}

function selectLock(ctx: AuthenticationContext, loginFold: string) {
  const { LOGIN_ATTEMPTS, LOGIN_ATTEMPTS_PER_ADDRESS } = ctx.settings
  const { ofAccount, ofAddress } = recentFailureConditions(ctx, loginFold)
  return db
    .select({
      failures: sql<number>`(SELECT count(*) FROM login_failures WHERE ${ofAccount})`.as(
        'failures',
      ),
      accountLockedAt: lockStart(ofAccount, LOGIN_ATTEMPTS).as('account_locked_at'),
      addressLockedAt: lockStart(ofAddress, LOGIN_ATTEMPTS_PER_ADDRESS).as('address_locked_at'),
    })
    .from(sql`(SELECT 1)`)
}

/** The time of the oldest of the newest `limit` failures: the lock ends when that one has expired. */
function lockStart(failures: SQL, limit: number): SQL<number | null> {
  return sql`(SELECT ${loginFailures.failedAt} FROM login_failures WHERE ${failures}
    ORDER BY ${loginFailures.failedAt} DESC LIMIT 1 OFFSET ${limit - 1})`
}

function recentFailureConditions(
  ctx: AuthenticationContext,
  loginFold: string,
): { ofAccount: SQL; ofAddress: SQL } {
  const ofAddress = sql`${loginFailures.ip} = ${toNetwork(ctx.ip)} AND ${loginFailures.failedAt} > ${windowStart(ctx)}`
  return { ofAddress, ofAccount: sql`${loginFailures.loginFold} = ${loginFold} AND ${ofAddress}` }
}

function assertNotLocked(ctx: AuthenticationContext, lock: LockState | undefined): void {
  const lockedAt = lock?.accountLockedAt ?? lock?.addressLockedAt ?? null
  if (lockedAt !== null) {
    const what = lock?.accountLockedAt === null ? 'address' : 'account'
    const until = toDatetime(lockedAt + ctx.settings.LOGIN_LOCK_MINUTES * 60)
    throw fault(loginLocked, { what, until })
  }
}

function windowStart(ctx: AuthenticationContext): number {
  return ctx.now - ctx.settings.LOGIN_LOCK_MINUTES * 60
}
