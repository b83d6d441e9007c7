import { desc } from 'drizzle-orm'
import * as z from 'zod'
import { bearerOf } from '../../../platform/access/bearer.ts'
import { strongestCredential } from '../../../platform/access/credentials.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { sessions } from '../../../platform/db/schema/users.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { selectionInput } from '../../../platform/http/operations/shapes.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { Selection } from '../../../platform/lib/selection.ts'
import { toDatetime } from '../../../platform/lib/time.ts'
import { assertMayManageAccount } from '../account/limited-key.ts'
import { keyMayNotManageAccount } from '../faults.ts'

const MAX_SESSIONS = 1000

const sessionShape = z.strictObject({
  id: z.int(),
  creation_time: z.string(),
  last_used: z.string(),
  last_used_ip: z.string(),
  user_agent: z.string(),
  authenticated_by: z.string(),
  is_current: z.boolean(),
})

/** The sessions of the caller that have not expired, the last used first. */
export const listSessions = operation(
  {
    method: 'GET',
    path: '/session',
    summary: 'List the sessions of the caller',
    reference: 'accounts.md#list-sessions',
    input: z.object(selectionInput),
    output: z.strictObject({ sessions: z.array(sessionShape.partial()) }),
    faults: [keyMayNotManageAccount],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller, credentials, now, settings } = ctx
    assertMayManageAccount(caller)
    const current = await bearerOf(strongestCredential(credentials))
    const oldest = now - settings.TOKEN_IDLE_DAYS * 86_400
    const { rows } = await readBatch(ctx, {
      rows: db
        .select(
          pick(
            sessions,
            'id',
            'hash',
            'createdAt',
            'lastUsedAt',
            'ip',
            'userAgent',
            'authenticatedBy',
          ),
        )
        .from(sessions)
        .where(sql`${sessions.userId} = ${caller.id} AND ${sessions.lastUsedAt} >= ${oldest}`)
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
        .limit(MAX_SESSIONS),
    })
    const selection = new Selection(input)
    return {
      sessions: rows.map(({ hash, ...row }) =>
        selection.prune({
          id: row.id,
          creation_time: toDatetime(row.createdAt),
          last_used: toDatetime(row.lastUsedAt),
          last_used_ip: row.ip,
          user_agent: row.userAgent,
          authenticated_by: row.authenticatedBy,
          is_current: hash === current?.hash,
        }),
      ),
    }
  },
)
