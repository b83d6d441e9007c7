import * as z from 'zod'
import { bearerOf } from '../../../platform/access/bearer.ts'
import type { Person } from '../../../platform/access/caller.ts'
import { strongestCredential } from '../../../platform/access/credentials.ts'
import { codeWrong } from '../../../platform/access/faults.ts'
import { secondFactorColumns, switchOn, useCode } from '../../../platform/access/second-factor.ts'
import type { PersonCtx } from '../../../platform/context.ts'
import { commit, retryOnConflict } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { secondFactors } from '../../../platform/db/schema/accounts.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { requiredText } from '../../../platform/http/operations/shapes.ts'
import { toDatetime } from '../../../platform/lib/time.ts'
import { keyMayNotManageAccount, secondFactorIsOn, secondFactorMissing } from '../faults.ts'
import { assertMayManageAccount } from './limited-key.ts'

export const getSecondFactor = operation(
  {
    method: 'GET',
    path: '/account/totp',
    summary: 'Tell whether the caller has a second factor',
    reference: 'accounts.md#second-factor',
    input: z.object({}),
    output: z.strictObject({
      enabled: z.boolean(),
      since: z.string().nullable(),
      recovery_codes_left: z.int(),
      is_required: z.boolean(),
    }),
    faults: [keyMayNotManageAccount],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx) => {
    assertMayManageAccount(ctx.caller)
    const { rows } = await readBatch(ctx, { rows: selectOwn(ctx) })
    const [row] = rows
    const isOn = row !== undefined && row.confirmedAt !== null
    return {
      enabled: isOn,
      since: isOn ? toDatetime(Number(row.confirmedAt)) : null,
      recovery_codes_left: isOn ? (JSON.parse(row.recoveryHashes ?? '[]') as []).length : 0,
      is_required: Boolean(row?.isRequired),
    }
  },
)

/** Switches the second factor on, and ends the other tokens and sessions, which began without it. */
export const confirmSecondFactor = operation(
  {
    method: 'PUT',
    path: '/account/totp',
    summary: 'Switch a second factor on by its first code',
    reference: 'accounts.md#switch-a-second-factor-on',
    input: z.object({ totp: requiredText() }),
    output: z.strictObject({}),
    faults: [keyMayNotManageAccount, secondFactorIsOn, secondFactorMissing],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    assertMayManageAccount(ctx.caller)
    const kept = await bearerOf(strongestCredential(ctx.credentials))
    await retryOnConflict(ctx, async (ctx) => {
      const { rows } = await readBatch(ctx, { rows: selectOwn(ctx) })
      const [row] = rows
      if (row === undefined || row.sealed === null) {
        throw fault(secondFactorMissing)
      }
      if (row.confirmedAt !== null) {
        throw fault(secondFactorIsOn)
      }
      const used = await useCode(ctx, row, input.totp)
      if (used === null) {
        throw fault(codeWrong, { hint: '' })
      }
      await commit(ctx, { on: switchOn(ctx, row, kept), used })
    })
    return {}
  },
)

function selectOwn({ caller, settings }: PersonCtx) {
  return db
    .select({
      userId: sql<Person['id']>`${users.id}`.as('user_id'),
      revision: users.revision,
      ...secondFactorColumns(settings),
    })
    .from(users)
    .leftJoin(secondFactors, sql`${secondFactors.userId} = ${users.id}`)
    .where(sql`${users.id} = ${caller.id}`)
}
