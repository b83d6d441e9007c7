import { eq, type SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { abortIf, commit, retryOnConflict, type Statement, WriteConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { loginFailures, users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults.ts'
import { toNetwork } from '../lib/address.ts'
import { verifyPassword } from '../lib/secrets.ts'
import { fold } from '../lib/text.ts'
import { toDatetime } from '../lib/time.ts'
import { accountColumns, personFrom } from './account.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Person } from './caller.ts'

/** What wrong passwords have led to; a moment stands for the lock that it began. */
type Lock = {
  failures: number
  accountLockedAt: number | null
  addressLockedAt: number | null
}

/** Longer logins do not exist, and what is remembered of a stranger's guess has to end somewhere. */
const LONGEST_LOGIN = 255

/**
 * The person that a login and its password belong to. After LOGIN_ATTEMPTS wrong passwords within
 * LOGIN_LOCK_MINUTES the account is locked for that address, even for the right password, and after
 * LOGIN_ATTEMPTS_PER_ADDRESS the address is. Unknown logins take as long and count alike. Two trips, at
 * the primary: what is asked, and the commit that counts a failure or lets in. `entry` rides in the
 * latter; of many guesses sent at once, none gets in after the others have locked the account, and whose
 * account was changed meanwhile is asked again, so that an old password gives no token. Contract "Errors",
 * Login: faults 300, 301, 305.
 */
export async function checkPassword(
  ctx: AuthenticationContext,
  login: string,
  password: string,
  entry: (person: Person) => Promise<Statement[]> = async () => [],
): Promise<Person> {
  const primary = ctx.session.readsPrimary ? ctx.session : ctx.session.onPrimary()
  const loginFold = fold(login.trim()).slice(0, LONGEST_LOGIN)
  return retryOnConflict({ ...ctx, session: primary }, (ctx) =>
    attempt(ctx, loginFold, password, entry),
  )
}

async function attempt(
  ctx: AuthenticationContext,
  loginFold: string,
  password: string,
  entry: (person: Person) => Promise<Statement[]>,
): Promise<Person> {
  const { accounts, locks } = await readAttempt(ctx, loginFold)
  refuseWhileLocked(ctx, locks[0])
  const account = accounts[0]
  if (!(await verifyPassword(password, account?.passwordHash ?? null)) || account === undefined) {
    throw await countFailure(ctx, loginFold)
  }
  if (account.loginDeniedText !== '' || account.passwordChangeRequired) {
    // that the password is right is told only to who has not guessed too often
    await letIn(ctx, loginFold, account, [])
  }
  const person = personFrom(account)
  if (account.passwordChangeRequired) {
    throw fault('newPasswordRequired')
  }
  await letIn(ctx, loginFold, account, await entry(person))
  return person
}

function readAttempt(ctx: AuthenticationContext, loginFold: string) {
  return readBatch(ctx, {
    accounts: db
      .select({
        passwordHash: users.passwordHash,
        passwordChangeRequired: users.passwordChangeRequired,
        revision: users.revision,
        ...accountColumns,
      })
      .from(users)
      .where(eq(users.loginFold, loginFold)),
    locks: selectLock(ctx, loginFold),
  })
}

async function countFailure(ctx: AuthenticationContext, loginFold: string): Promise<Fault> {
  const { settings, now } = ctx
  const ip = toNetwork(ctx.ip)
  const { locks } = await commit(ctx, {
    failure: db.insert(loginFailures).values({ loginFold, ip, failedAt: now }),
    expired: db.delete(loginFailures).where(sql`${loginFailures.failedAt} <= ${windowStart(ctx)}`),
    locks: selectLock(ctx, loginFold),
  })
  const row = locks[0] ?? {}
  refuseWhileLocked(ctx, {
    failures: Number(row.failures),
    accountLockedAt: row.account_locked_at as number | null,
    addressLockedAt: row.address_locked_at as number | null,
  })
  const left = settings.LOGIN_ATTEMPTS - Number(row.failures)
  const attempts = left === 1 ? 'attempt' : 'attempts'
  const minutes = settings.LOGIN_LOCK_MINUTES
  const hint = ` After ${left} more wrong ${attempts} this account is locked for ${minutes} minutes.`
  return fault('badLogin', { hint: left <= 2 ? hint : '' })
}

/**
 * Forgets the failures of the account and writes the entry, unless the account has been locked meanwhile,
 * or changed, which is stale.
 */
async function letIn(
  ctx: AuthenticationContext,
  loginFold: string,
  { userId, revision }: { readonly userId: number; readonly revision: number },
  entry: Statement[],
) {
  const { ofAccount } = recent(ctx, loginFold)
  const lockedAt = lockBegin(ofAccount, ctx.settings.LOGIN_ATTEMPTS)
  try {
    await commit(ctx, {
      guard: abortIf(sql`${lockedAt} IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM users u WHERE u.id = ${userId} AND u.revision = ${revision})`),
      failures: db.delete(loginFailures).where(ofAccount),
      entry: entry,
    })
  } catch (error) {
    if (error instanceof WriteConflict) {
      const { locks } = await readBatch(ctx, { locks: selectLock(ctx, loginFold) })
      refuseWhileLocked(ctx, locks[0])
    }
    throw error
  }
}

function selectLock(ctx: AuthenticationContext, loginFold: string) {
  const { LOGIN_ATTEMPTS, LOGIN_ATTEMPTS_PER_ADDRESS } = ctx.settings
  const { ofAccount, ofAddress } = recent(ctx, loginFold)
  return db
    .select({
      failures: sql<number>`(SELECT count(*) FROM login_failures WHERE ${ofAccount})`.as(
        'failures',
      ),
      accountLockedAt: lockBegin(ofAccount, LOGIN_ATTEMPTS).as('account_locked_at'),
      addressLockedAt: lockBegin(ofAddress, LOGIN_ATTEMPTS_PER_ADDRESS).as('address_locked_at'),
    })
    .from(sql`(SELECT 1)`)
}

/** The failure that counts from the newest to `most`: when it is forgotten, fewer are left. */
function lockBegin(failures: SQL, most: number): SQL<number | null> {
  return sql`(SELECT failed_at FROM login_failures WHERE ${failures}
    ORDER BY failed_at DESC LIMIT 1 OFFSET ${most - 1})`
}

function recent(ctx: AuthenticationContext, loginFold: string): { ofAccount: SQL; ofAddress: SQL } {
  const ofAddress = sql`ip = ${toNetwork(ctx.ip)} AND failed_at > ${windowStart(ctx)}`
  return { ofAddress, ofAccount: sql`login_fold = ${loginFold} AND ${ofAddress}` }
}

function refuseWhileLocked(ctx: AuthenticationContext, lock: Lock | undefined): void {
  const lockedAt = lock?.accountLockedAt ?? lock?.addressLockedAt ?? null
  if (lockedAt !== null) {
    const what = lock?.accountLockedAt === null ? 'address' : 'account'
    const until = toDatetime(lockedAt + ctx.settings.LOGIN_LOCK_MINUTES * 60)
    throw fault('loginLocked', { what, until })
  }
}

function windowStart(ctx: AuthenticationContext): number {
  return ctx.now - ctx.settings.LOGIN_LOCK_MINUTES * 60
}
