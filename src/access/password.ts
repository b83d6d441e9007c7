import { eq, type SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { abortIf, commit, retryOnConflict, type Statement, WriteConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { loginFailures, users } from '../db/schema/users.ts'
import type { DbSession } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults.ts'
import { toNetwork } from '../lib/address.ts'
import { verifyPassword } from '../lib/secrets.ts'
import { fold } from '../lib/text.ts'
import { toDatetime } from '../lib/time.ts'
import { accountColumns, personFrom } from './account.ts'
import type { AuthenticationContext } from './authenticate.ts'
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
  claim: AuthenticationContext,
  login: string,
  password: string,
  entry: (person: Person) => Promise<Statement[]> = async () => [],
): Promise<Person> {
  const primary = claim.session.readsPrimary ? claim.session : claim.session.onPrimary()
  const loginFold = fold(login.trim()).slice(0, LONGEST_LOGIN)
  return retryOnConflict(primary, (session) => attempt(claim, session, loginFold, password, entry))
}

async function attempt(
  claim: AuthenticationContext,
  session: DbSession,
  loginFold: string,
  password: string,
  entry: (person: Person) => Promise<Statement[]>,
): Promise<Person> {
  const { accounts, locks } = await readAttempt(claim, session, loginFold)
  refuseWhileLocked(claim, locks[0])
  const account = accounts[0]
  if (!(await verifyPassword(password, account?.passwordHash ?? null)) || account === undefined) {
    throw await countFailure(claim, session, loginFold)
  }
  if (account.loginDeniedText !== '' || account.passwordChangeRequired) {
    // that the password is right is told only to who has not guessed too often
    await letIn(claim, session, loginFold, account, [])
  }
  const person = personFrom(account)
  if (account.passwordChangeRequired) {
    throw fault('newPasswordRequired')
  }
  await letIn(claim, session, loginFold, account, await entry(person))
  return person
}

function readAttempt(claim: AuthenticationContext, session: DbSession, loginFold: string) {
  return readBatch(session, {
    accounts: db
      .select({
        passwordHash: users.passwordHash,
        passwordChangeRequired: users.passwordChangeRequired,
        revision: users.revision,
        ...accountColumns,
      })
      .from(users)
      .where(eq(users.loginFold, loginFold)),
    locks: selectLock(claim, loginFold),
  })
}

async function countFailure(
  claim: AuthenticationContext,
  session: DbSession,
  loginFold: string,
): Promise<Fault> {
  const { settings, now } = claim
  const ip = toNetwork(claim.ip)
  const [, , locks] = await commit(session, [
    db.insert(loginFailures).values({ loginFold, ip, failedAt: now }),
    db.delete(loginFailures).where(sql`${loginFailures.failedAt} <= ${windowStart(claim)}`),
    selectLock(claim, loginFold),
  ])
  const row = locks?.[0] ?? {}
  refuseWhileLocked(claim, {
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
  claim: AuthenticationContext,
  session: DbSession,
  loginFold: string,
  { userId, revision }: { readonly userId: number; readonly revision: number },
  entry: Statement[],
) {
  const { ofAccount } = recent(claim, loginFold)
  const lockedAt = lockBegin(ofAccount, claim.settings.LOGIN_ATTEMPTS)
  try {
    await commit(session, [
      abortIf(sql`${lockedAt} IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM users u WHERE u.id = ${userId} AND u.revision = ${revision})`),
      db.delete(loginFailures).where(ofAccount),
      ...entry,
    ])
  } catch (error) {
    if (error instanceof WriteConflict) {
      const { locks } = await readBatch(session, { locks: selectLock(claim, loginFold) })
      refuseWhileLocked(claim, locks[0])
    }
    throw error
  }
}

function selectLock(claim: AuthenticationContext, loginFold: string) {
  const { LOGIN_ATTEMPTS, LOGIN_ATTEMPTS_PER_ADDRESS } = claim.settings
  const { ofAccount, ofAddress } = recent(claim, loginFold)
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

function recent(
  claim: AuthenticationContext,
  loginFold: string,
): { ofAccount: SQL; ofAddress: SQL } {
  const ofAddress = sql`ip = ${toNetwork(claim.ip)} AND failed_at > ${windowStart(claim)}`
  return { ofAddress, ofAccount: sql`login_fold = ${loginFold} AND ${ofAddress}` }
}

function refuseWhileLocked(claim: AuthenticationContext, lock: Lock | undefined): void {
  const lockedAt = lock?.accountLockedAt ?? lock?.addressLockedAt ?? null
  if (lockedAt !== null) {
    const what = lock?.accountLockedAt === null ? 'address' : 'account'
    const until = toDatetime(lockedAt + claim.settings.LOGIN_LOCK_MINUTES * 60)
    throw fault('loginLocked', { what, until })
  }
}

function windowStart(claim: AuthenticationContext): number {
  return claim.now - claim.settings.LOGIN_LOCK_MINUTES * 60
}
