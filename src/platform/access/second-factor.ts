import type { SQL } from 'drizzle-orm'
import { abortUnlessChanged, type Statement } from '../db/commit.ts'
import { secondFactors } from '../db/schema/accounts.ts'
import { groups, memberships } from '../db/schema/groups.ts'
import { sessions, tokens, users } from '../db/schema/users.ts'
import { aliasColumns, columnName, jsonList, limitTo, sql } from '../db/sql.ts'
import { recordUpdates, updateAtRevision } from '../db/write-audited.ts'
import { sha256Hex, unseal } from '../lib/crypto/secrets.ts'
import { commaList, fold } from '../lib/text.ts'
import type { Settings } from '../settings/settings.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import { endLoginsOf } from './end-logins.ts'
import { codeRequired, secondFactorRequired } from './faults.ts'

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** Of a code, in seconds. */
const PERIOD = 30

/**
 * What a right password still needs. It is `refused` for an account with a second factor where nothing takes a code,
 * and
 * `skipped` where the caller is known otherwise.
 */
export type SecondFactorDemand = 'asked' | 'refused' | 'skipped'

/** What a select from `users`, joined with `second_factors`, tells of the second factor. */
export function secondFactorColumns(settings: Settings) {
  const { sealed, recoveryHashes, confirmedAt, lastStep } = secondFactors
  return {
    sealed,
    recoveryHashes,
    confirmedAt,
    lastStep,
    isRequired: isRequiredCondition(settings).as('is_required'),
  }
}

function isRequiredCondition(settings: Settings) {
  return hasRequirement(settings)
    ? sql<number>`EXISTS (SELECT 1 FROM ${requiredMembers(settings)} AND ${m.userId} = ${users.id})`
    : sql<number>`0`
}

/** Whether the site requires a second factor of anybody. */
export function hasRequirement({ TOTP_REQUIRED_GROUPS }: Settings): boolean {
  return commaList(TOTP_REQUIRED_GROUPS).length > 0
}

/**
 * Ends so many of the tokens, and of the sessions, of those who have no second factor although a group of theirs
 * requires one.
 */
export function endLoginsWithoutSecondFactor(settings: Settings, most: number): Statement[] {
  const owners = sql`SELECT ${m.userId} FROM ${requiredMembers(settings)} AND NOT EXISTS (SELECT 1
    FROM second_factors WHERE ${secondFactors.userId} = ${m.userId} AND ${secondFactors.confirmedAt} IS NOT NULL)`
  return [
    sql`DELETE FROM tokens WHERE ${tokens.hash} IN (
      SELECT ${tokens.hash} FROM tokens WHERE ${tokens.userId} IN (${owners}) ${limitTo(most)})`,
    sql`DELETE FROM sessions WHERE ${sessions.id} IN (
      SELECT ${sessions.id} FROM sessions WHERE ${sessions.userId} IN (${owners}) ${limitTo(most)})`,
  ]
}

/** The members of the groups of TOTP_REQUIRED_GROUPS: `FROM` this, and further conditions behind AND. */
function requiredMembers({ TOTP_REQUIRED_GROUPS }: Settings): SQL {
  const names = commaList(TOTP_REQUIRED_GROUPS).map(fold)
  return sql`access_groups g CROSS JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} IN ${jsonList(names)}`
}

type Account = {
  readonly userId: number
  readonly revision: number
  /** Null, like the next, for an account without a second factor. */
  readonly sealed: string | null
  readonly recoveryHashes: string | null
  readonly confirmedAt: number | null
  readonly lastStep: number | null
  readonly isRequired: number
}

type Decision =
  | 'wrong code'
  | { readonly refusal: typeof codeRequired | typeof secondFactorRequired }
  | { readonly statements: readonly Statement[] }

/**
 * Decides about an account whose password was right: the statements use the code up, and fail as a conflict where
 * somebody else has used it meanwhile. The first right code switches a second factor on.
 */
export async function decideSecondFactor(
  ctx: AuthenticationContext,
  account: Account,
  demand: SecondFactorDemand,
  code: string,
): Promise<Decision> {
  if (demand === 'skipped') {
    return { statements: [] }
  }
  const isOn = account.confirmedAt !== null
  const isShown = demand === 'asked' && code.trim() !== ''
  if (isOn && !isShown) {
    return { refusal: codeRequired }
  }
  if (account.sealed !== null && isShown) {
    const statements = await useCode(ctx, account, code)
    return statements === null
      ? 'wrong code'
      : { statements: isOn ? statements : [...switchOn(ctx, account), ...statements] }
  }
  return account.isRequired ? { refusal: secondFactorRequired } : { statements: [] }
}

/** Statements that use up a code of the app or a recovery code; null for a wrong one. */
export async function useCode(
  { env, now }: Pick<AuthenticationContext, 'env' | 'now'>,
  { userId, sealed, recoveryHashes, lastStep }: Omit<Account, 'revision' | 'isRequired'>,
  code: string,
): Promise<readonly Statement[] | null> {
  const plain = normalizeCode(code)
  if (/^\d{6}$/.test(plain)) {
    const secret = await unseal(sealed ?? '', env.SECRETS_KEY)
    const step = secret === null ? null : await findStep(secret, plain, now)
    return step === null || step <= (lastStep ?? 0)
      ? null
      : [
          sql`UPDATE second_factors SET ${columnName(secondFactors.lastStep)} = ${step}
            WHERE ${secondFactors.userId} = ${userId} AND ${secondFactors.lastStep} < ${step}`,
          abortUnlessChanged(),
        ]
  }
  const hash = await hashRecoveryCode(plain)
  const left = JSON.parse(recoveryHashes ?? '[]') as string[]
  return left.includes(hash)
    ? [
        sql`UPDATE second_factors SET ${columnName(secondFactors.recoveryHashes)} =
            (SELECT json_group_array(value) FROM json_each(${secondFactors.recoveryHashes}) WHERE value <> ${hash})
          WHERE ${secondFactors.userId} = ${userId}
            AND ${hash} IN (SELECT value FROM json_each(${secondFactors.recoveryHashes}))`,
        abortUnlessChanged(),
      ]
    : null
}

/** Switches a second factor on, and ends what began without it. */
export function switchOn(
  { now }: Pick<AuthenticationContext, 'now'>,
  { userId: id, revision }: Pick<Account, 'userId' | 'revision'>,
  kept: Parameters<typeof endLoginsOf>[1] = null,
): Statement[] {
  const changes = { second_factor: { removed: '0', added: '1' } }
  return [
    sql`UPDATE second_factors SET ${columnName(secondFactors.confirmedAt)} = ${now}
      WHERE ${secondFactors.userId} = ${id} AND ${secondFactors.confirmedAt} IS NULL`,
    abortUnlessChanged(),
    ...updateAtRevision('User', [{ id, revision }]),
    ...endLoginsOf([id], kept),
    ...recordUpdates({ caller: { id }, now }, 'User', [{ id, changes }]),
  ]
}

/** The SHA-256 of a recovery code, in whatever way it was typed. */
export function hashRecoveryCode(code: string): Promise<string> {
  return sha256Hex(`recovery code ${normalizeCode(code)}`)
}

function normalizeCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase()
}

/** The half minute that a code belongs to: the present one, or one beside it for clocks that differ. */
async function findStep(secret: string, token: string, now: number): Promise<number | null> {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD })
  const delta = totp.validate({ token, timestamp: now * 1000, window: 1 })
  return delta === null ? null : Math.floor(now / PERIOD) + delta
}
