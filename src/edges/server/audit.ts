import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { auditLog } from '../../platform/db/schema/audit.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, limitTo, sql } from '../../platform/db/sql.ts'
import {
  fault,
  numberTooLarge,
  offsetWithoutLimit,
  parameterMissing,
} from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { count, datetime, selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { PagedAnswer, pageAt } from '../../platform/http/response/paged-answer.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold } from '../../platform/lib/text.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { userUnknown } from '../../tracker/users/faults.ts'

const a = aliasColumns(auditLog, 'a')

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
/** Bytes of changes in one answer, unless a change alone has more. SQLite tells them without reading the text. */
const MAX_BYTES = 1_000_000
/** Every entry that is skipped is read. */
const MAX_OFFSET = 10_000

const auditInput = z.object({
  object: text(),
  object_id: count(),
  who: text(),
  after: datetime(),
  before: datetime(),
  limit: count(),
  offset: count(),
  ...selectionInput,
})

type Input = z.output<typeof auditInput>

/**
 * The changes to the structure of the tracker, newest first, one item for each field; pages count changes.
 */
export const getAudit = operation(
  {
    method: 'GET',
    path: '/audit',
    summary: 'Read who changed the structure of the tracker',
    reference: 'server.md#read-the-audit-log',
    input: auditInput,
    output: z.strictObject({
      audit: z.array(
        z
          .strictObject({
            id: z.int(),
            time: z.iso.datetime(),
            who: z.string().nullable(),
            object: z.string(),
            object_id: z.int(),
            action: z.enum(['create', 'update', 'remove']),
            field: z.string(),
            removed: z.string(),
            added: z.string(),
          })
          .partial(),
      ),
    }),
    pages: 'linked',
    faults: [numberTooLarge, offsetWithoutLimit, userUnknown],
    requires: role('admin', 'read the audit log'),
    scope: 'read',
  },
  async (ctx, input) => {
    const limit = Math.min(input.limit || DEFAULT_LIMIT, MAX_LIMIT)
    const offset = requireOffset(input)
    if (input.object_id !== undefined && input.object === undefined) {
      throw fault(parameterMissing, { field: 'object' })
    }
    const { person, rows } = await readBatch(ctx, {
      person: input.who === undefined ? undefined : selectPerson(input.who),
      rows: selectEntries(input, limit + 1, offset),
    })
    if (input.who !== undefined && person?.length === 0) {
      throw fault(userUnknown, { login: input.who })
    }
    const selection = new Selection(input)
    const shown = rows.slice(0, limit).filter(({ ahead }) => ahead < MAX_BYTES)
    const audit = shown.flatMap(presentEntry).map((item) => selection.prune(item))
    const next = pageAt(offset + shown.length, MAX_OFFSET, { limit: String(limit) })
    return new PagedAnswer({ audit }, rows.length > shown.length ? next : {})
  },
)

function requireOffset({ limit, offset = 0 }: Input): number {
  if (offset > 0 && !limit) {
    throw fault(offsetWithoutLimit)
  }
  if (offset > MAX_OFFSET) {
    const most = `${MAX_OFFSET}; go on with 'before'`
    throw fault(numberTooLarge, { field: 'offset', value: String(offset), most })
  }
  return offset
}

function selectPerson(login: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.loginFold} = ${fold(login.trim())}`)
}

function selectEntries(
  { object, object_id, who, after, before }: Input,
  rows: number,
  offset: number,
) {
  const conditions = [
    ...(object === undefined
      ? []
      : [sql`${a.objectClass} = ${object.trim().replace(/^.*::/, '')}`]),
    ...(object_id === undefined ? [] : [sql`${a.objectId} = ${object_id}`]),
    ...(who === undefined
      ? []
      : [
          sql`${a.userId} = (SELECT ${users.id} FROM users WHERE ${users.loginFold} = ${fold(who.trim())})`,
        ]),
    ...(after === undefined ? [] : [sql`${a.happenedAt} >= ${after}`]),
    ...(before === undefined ? [] : [sql`${a.happenedAt} < ${before}`]),
  ]
  // the plus sign leaves the choice to the index of the object, whose few entries are then sorted
  const time = object_id === undefined ? a.happenedAt : sql`+${a.happenedAt}`
  const columns = {
    id: sql<number>`${a.id}`.as('entry_id'),
    happenedAt: sql<number>`${a.happenedAt}`.as('happened_at'),
    who: sql<string | null>`(SELECT ${users.login} FROM users WHERE ${users.id} = ${a.userId})`.as(
      'who',
    ),
    object: sql<string>`${a.objectClass}`.as('object_class'),
    objectId: sql<number>`${a.objectId}`.as('object_id'),
    action: sql<'create' | 'update' | 'remove'>`${a.action}`.as('action'),
    // no text that is not shown leaves the database
    changes: sql<string>`iif(ahead < ${MAX_BYTES}, ${a.changes}, '{}')`.as('changes'),
    ahead: sql<number>`ahead`.as('bytes_ahead'),
  }
  const page = sql`SELECT ${a.id} AS page_id, ${a.happenedAt} AS page_time, octet_length(${a.changes}) AS size
    FROM audit_log a WHERE ${allOf(conditions)}
    ORDER BY ${time} DESC, ${a.id} DESC ${limitTo(rows)} OFFSET ${offset}`
  return db
    .select(columns)
    .from(
      sql`(SELECT page_id, page_time, coalesce(sum(size) OVER (ORDER BY page_time DESC, page_id DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead FROM (${page})) AS page
        JOIN audit_log a ON ${a.id} = page_id`,
    )
    .orderBy(sql`page_time DESC, page_id DESC`)
}

type Entry = {
  id: number
  happenedAt: number
  who: string | null
  object: string
  objectId: number
  action: 'create' | 'update' | 'remove'
  changes: string
}

/** An entry without fields is one item with an empty field, so that no act is left out. */
function presentEntry({ id, happenedAt, who, object, objectId, action, changes }: Entry) {
  const act = { id, time: toDatetime(happenedAt), who, object, object_id: objectId, action }
  const fields = Object.entries(
    JSON.parse(changes) as Record<string, { removed: string; added: string }>,
  )
  return fields.length === 0
    ? [{ ...act, field: '', removed: '', added: '' }]
    : fields.map(([field, { removed, added }]) => ({ ...act, field, removed, added }))
}
