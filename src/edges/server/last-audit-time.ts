import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { auditLog } from '../../platform/db/schema/audit.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { names } from '../../platform/http/operations/shapes.ts'
import { toDatetime } from '../../platform/lib/time.ts'

/**
 * The time of the last change to the structure of the tracker, or to the classes of objects in `class`
 * (`Product` or `Bugzilla::Product`); null without any.
 */
export const getLastAuditTime = operation(
  {
    method: 'GET',
    path: '/last_audit_time',
    summary: 'Tell when the structure of the tracker was last changed',
    reference: 'server.md#get-the-time-of-the-last-change',
    input: z.object({ class: names() }),
    output: z.strictObject({ last_audit_time: z.string().nullable() }),
    requires: anyone,
    scope: 'read',
    isVolatile: true,
  },
  async (ctx, input) => {
    const classes = input.class?.map((name) => name.trim().replace(/^.*::/, '')) ?? []
    const { newest } = await readBatch(ctx, {
      newest: classes.length === 0 ? selectNewest() : selectNewestOfClasses(classes),
    })
    const at = newest[0]?.at ?? null
    return { last_audit_time: at === null ? null : toDatetime(at) }
  },
)

function selectNewest() {
  return db
    .select({ at: sql<number | null>`max(${auditLog.happenedAt})`.as('newest_at') })
    .from(sql`audit_log`)
}

/** Reads one row per class, because `max` of one class is the end of an index. */
function selectNewestOfClasses(classes: readonly string[]) {
  const newestOfClass = sql`(SELECT max(${auditLog.happenedAt}) FROM audit_log
    WHERE ${auditLog.objectClass} = named.value)`
  return db
    .select({ at: sql<number | null>`max(${newestOfClass})`.as('newest_at') })
    .from(sql`json_each(${JSON.stringify(classes)}) AS named`)
}
