import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { assertMayManageKeys } from './owner.ts'
import { changeKey } from './update.ts'

export const revokeKeyInput = z.object({ id: id() })
export const revokeKeyOutput = z.strictObject({ success: z.literal(1) })

/**
 * Revokes an API key of the caller, or with the right to edit users of anybody. A limited key revokes
 * itself alone. Idempotent.
 */
export async function revokeKey(ctx: Ctx, input: z.output<typeof revokeKeyInput>) {
  assertMayManageKeys(assertLoggedIn(ctx.caller), input.id)
  await changeKey(ctx, input.id, { revoked: true })
  return { success: 1 as const }
}
