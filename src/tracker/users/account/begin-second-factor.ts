import * as z from 'zod'
import type { Person } from '../../../platform/access/caller.ts'
import { checkPassword } from '../../../platform/access/password.ts'
import { hashRecoveryCode } from '../../../platform/access/second-factor.ts'
import type { Ctx } from '../../../platform/context.ts'
import type { Statement } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { secondFactors } from '../../../platform/db/schema/accounts.ts'
import type { SessionHolder } from '../../../platform/db/session.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { text } from '../../../platform/http/operations/shapes.ts'
import { newRecoveryCode, seal } from '../../../platform/lib/crypto/secrets.ts'
import { keyMayNotManageAccount, secondFactorIsOn } from '../faults.ts'
import { assertMayManageAccount } from './limited-key.ts'

const RECOVERY_CODES = 10

/** Bytes, as many as those of the hash that codes are made with. */
const SECRET_BYTES = 20

/**
 * A second factor counts from its first right code on. A login does beside the password, because whose groups require
 * a second factor cannot log in without one.
 */
export const beginSecondFactor = operation(
  {
    method: 'POST',
    path: '/account/totp',
    summary: 'Begin a second factor',
    reference: 'accounts.md#begin-a-second-factor',
    input: z.object({ login: text(), current_password: text() }),
    output: z.strictObject({
      secret: z.string(),
      uri: z.string(),
      recovery_codes: z.array(z.string()),
    }),
    faults: [keyMayNotManageAccount, secondFactorIsOn],
    requires: anyone,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    if (caller.kind === 'person') {
      assertMayManageAccount(caller)
    }
    const login = caller.kind === 'person' ? caller.login : input.login
    if (login === undefined || input.current_password === undefined) {
      throw fault(parameterMissing, { field: login === undefined ? 'login' : 'current_password' })
    }
    const { Secret, TOTP } = await import('otpauth')
    const secret = new Secret({ size: SECRET_BYTES })
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const { person } = await checkPassword(ctx, {
      login,
      password: input.current_password,
      isRenewal: true,
      secondFactor: 'skipped',
      statements: (person, read) => replacePending(ctx, read, person, secret.base32, codes),
    })
    const issuer = new URL(ctx.baseUrl).hostname
    const uri = new TOTP({ issuer, label: person.login, secret }).toString()
    return { secret: secret.base32, uri, recovery_codes: codes }
  },
)

/** A guard beside the account's revision is not needed: to switch a second factor on steps that. */
async function replacePending(
  { env, now }: Ctx,
  read: SessionHolder,
  { id }: Person,
  secret: string,
  codes: readonly string[],
): Promise<Statement[]> {
  const { present } = await readBatch(read, {
    present: db
      .select({ confirmedAt: secondFactors.confirmedAt })
      .from(secondFactors)
      .where(sql`${secondFactors.userId} = ${id}`),
  })
  if (present.some(({ confirmedAt }) => confirmedAt !== null)) {
    throw fault(secondFactorIsOn)
  }
  const row = {
    sealed: await seal(secret, env.SECRETS_KEY),
    recoveryHashes: JSON.stringify(await Promise.all(codes.map(hashRecoveryCode))),
    createdAt: now,
    lastStep: 0,
  }
  return [
    db
      .insert(secondFactors)
      .values({ userId: id, ...row })
      .onConflictDoUpdate({ target: secondFactors.userId, set: row }),
  ]
}
