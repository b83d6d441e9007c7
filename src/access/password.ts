import { eq, sql } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { commit } from '../db/commit.ts'
import { loginFailures, users } from '../db/schema/users.ts'
import { together } from '../db/together.ts'
import { fault } from '../faults.ts'
import { verifyPassword } from '../lib/secrets.ts'
import { fold } from '../lib/text.ts'
import { toDatetime } from '../lib/time.ts'
import { accountColumns, personFrom } from './account.ts'
import type { Claim } from './authenticate.ts'
import type { Person } from './caller.ts'

/**
 * Checks a login and its password, and counts what is wrong: after LOGIN_ATTEMPTS failures within
 * LOGIN_LOCK_MINUTES an account is locked for that address, even for the right password. Unknown logins
 * take as long and count alike. `failures` is how many wrong passwords preceded this one. Contract
 * "Errors", Login: faults 300, 301, 305.
 */
export async function checkPassword(
  claim: Claim,
  login: string,
  password: string,
): Promise<{ person: Person; failures: number }> {
  const { settings } = claim
  const loginFold = fold(login.trim())
  const { accounts, failures } = await readAttempt(claim, loginFold)
  const before = failures[0] ?? { ofAccount: 0, ofAddress: 0, oldest: null }
  if (
    before.ofAccount >= settings.LOGIN_ATTEMPTS ||
    before.ofAddress >= settings.LOGIN_ATTEMPTS_PER_ADDRESS
  ) {
    throw locked(claim, before.oldest)
  }
  const account = accounts[0]
  if (!(await verifyPassword(password, account?.passwordHash ?? null)) || account === undefined) {
    throw await wrongPassword(claim, loginFold, before)
  }
  const person = personFrom(account)
  if (account.passwordChangeRequired) {
    throw fault('newPasswordRequired')
  }
  return { person, failures: before.ofAccount }
}

function readAttempt(claim: Claim, loginFold: string) {
  const since = windowStart(claim)
  const { ip } = claim
  return together(claim.door, {
    accounts: db
      .select({
        passwordHash: users.passwordHash,
        passwordChangeRequired: users.passwordChangeRequired,
        ...accountColumns,
      })
      .from(users)
      .where(eq(users.loginFold, loginFold)),
    failures: db
      .select({
        ofAccount: sql<number>`of_account`.as('of_account'),
        ofAddress: sql<number>`of_address`.as('of_address'),
        oldest: sql<number | null>`oldest`.as('oldest'),
      })
      .from(sql`(SELECT
        (SELECT count(*) FROM login_failures
         WHERE login_fold = ${loginFold} AND ip = ${ip} AND failed_at > ${since}) AS of_account,
        (SELECT count(*) FROM login_failures WHERE ip = ${ip} AND failed_at > ${since}) AS of_address,
        (SELECT min(failed_at) FROM login_failures
         WHERE login_fold = ${loginFold} AND ip = ${ip} AND failed_at > ${since}) AS oldest)`),
  })
}

async function wrongPassword(
  claim: Claim,
  loginFold: string,
  before: { ofAccount: number; oldest: number | null },
) {
  const { settings, ip, now } = claim
  await commit(claim.door, [
    db.insert(loginFailures).values({ loginFold, ip, failedAt: now }),
    db.delete(loginFailures).where(sql`${loginFailures.failedAt} <= ${windowStart(claim)}`),
  ])
  const left = settings.LOGIN_ATTEMPTS - before.ofAccount - 1
  if (left <= 0) {
    return locked(claim, before.oldest ?? now)
  }
  const minutes = settings.LOGIN_LOCK_MINUTES
  const hint =
    left <= 2
      ? ` After ${left} more wrong ${left === 1 ? 'attempt' : 'attempts'} this account is locked for ${minutes} minutes.`
      : ''
  return fault('badLogin', { hint })
}

function locked(claim: Claim, oldest: number | null) {
  const until = (oldest ?? claim.now) + claim.settings.LOGIN_LOCK_MINUTES * 60
  return fault('accountLocked', { until: toDatetime(until) })
}

function windowStart(claim: Claim): number {
  return claim.now - claim.settings.LOGIN_LOCK_MINUTES * 60
}
