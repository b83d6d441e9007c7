import * as z from 'zod'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { apiKeyUnknown, keyMayNotManageKeys } from './faults.ts'
import { assertMayManageKeys } from './owner.ts'
import { changeApiKey } from './update.ts'

/**
 * Revokes an API key of the caller, or with the right to edit users of anybody. A limited key revokes
 * itself alone. Idempotent.
 */
export const revokeKey = operation(
  {
    method: 'DELETE',
    path: '/api_key/:id',
    summary: 'Revoke an API key',
    reference: 'api-keys.md#revoke-an-api-key',
    input: z.object({ id: id() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [apiKeyUnknown, keyMayNotManageKeys],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    assertMayManageKeys(ctx.caller, input.id)
    await changeApiKey(ctx, input.id, { revoked: true })
    return { success: 1 as const }
  },
)
