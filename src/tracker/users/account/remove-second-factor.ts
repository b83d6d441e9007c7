import * as z from 'zod'
import { hasRole } from '../../../platform/access/caller.ts'
import { notAuthorized } from '../../../platform/access/faults.ts'
import type { PersonCtx } from '../../../platform/context.ts'
import type { Changes } from '../../../platform/db/audit.ts'
import { type CommitParts, commit, retryOnConflict } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { secondFactors } from '../../../platform/db/schema/accounts.ts'
import { users } from '../../../platform/db/schema/users.ts'
import type { SessionHolder } from '../../../platform/db/session.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { updateAudited } from '../../../platform/db/write-audited.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { text } from '../../../platform/http/operations/shapes.ts'
import { type IdOrName, parseIdOrName } from '../../../platform/lib/id-or-name.ts'
import { fold } from '../../../platform/lib/text.ts'
import { keyMayNotManageAccount, userUnknown } from '../faults.ts'
import { commitWithPassword } from '../update-own.ts'
import { assertMayManageAccount } from './limited-key.ts'

/** By its owner with the password, or by who may edit users, for somebody whose device is lost. */
export const removeSecondFactor = operation(
  {
    method: 'DELETE',
    path: '/account/totp',
    summary: 'Remove a second factor',
    reference: 'accounts.md#remove-a-second-factor',
    input: z.object({ current_password: text(), user: text() }),
    output: z.strictObject({}),
    faults: [keyMayNotManageAccount, notAuthorized, userUnknown],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    assertMayManageAccount(caller)
    const own = parseIdOrName(String(caller.id))
    const whose = input.user === undefined ? own : parseIdOrName(input.user)
    if (whose.id === own.id || (whose.id === null && whose.nameFold === fold(caller.login))) {
      await commitWithPassword(ctx, input.current_password, (read) => decide(ctx, read, own))
      return {}
    }
    if (!hasRole(caller, 'editusers')) {
      throw fault(notAuthorized, { action: 'edit users' })
    }
    await retryOnConflict(ctx, async (ctx) => commit(ctx, await decide(ctx, ctx, whose)))
    return {}
  },
)

async function decide(author: PersonCtx, read: SessionHolder, { id, name, nameFold }: IdOrName) {
  const { rows } = await readBatch(read, {
    rows: db
      .select({ id: users.id, revision: users.revision, confirmedAt: secondFactors.confirmedAt })
      .from(users)
      .leftJoin(secondFactors, sql`${secondFactors.userId} = ${users.id}`)
      .where(id === null ? sql`${users.loginFold} = ${nameFold}` : sql`${users.id} = ${id}`),
  })
  const [user] = rows
  if (user === undefined) {
    throw fault(userUnknown, { login: name })
  }
  const wasOn = user.confirmedAt !== null
  const changes: Changes = wasOn ? { second_factor: { removed: '1', added: '0' } } : {}
  return {
    factor: sql`DELETE FROM second_factors WHERE ${secondFactors.userId} = ${user.id}`,
    user: updateAudited(author, 'User', [{ ...user, changes }]),
  } satisfies CommitParts
}
