import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { auditLog } from '../../platform/db/schema/audit.ts'
import { attachments, bugs, history } from '../../platform/db/schema/bugs.ts'
import { aliasColumn, aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { runInReadTurn } from '../../platform/http/operations/read-turns.ts'
import { boolean, count, datetime } from '../../platform/http/operations/shapes.ts'
import { BYTES_OF_CHARACTER, streamJson } from '../../platform/lib/stream.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { archiveFileUnknown, archivePartUnknown } from './faults.ts'
import type { Part } from './part.ts'
import { findPart, PARTS } from './parts.ts'
import { type LineRange, presentLine, selectLines } from './select-lines.ts'

/** Of one round trip: so many answers hold as much until their readers have it. */
const CHUNK = { lines: 500, bytes: 300_000 }

/** Round trips of one answer, which D1 limits to 1,000. */
const MAX_CHUNKS = 500
/** Characters of one answer, give or take a chunk: they take half a second. */
const MAX_CHARACTERS = 8_000_000

const b = aliasColumns(bugs, 'b')
const h = aliasColumns(history, 'h')
const a = aliasColumns(auditLog, 'a')

export const mayExport = role('admin', 'export the tracker')

/** The parts with the highest number of each, which is at least the number of its lines. */
export const listExport = operation(
  {
    method: 'GET',
    path: '/export',
    summary: 'List the parts of an archive',
    reference: 'archive.md#list-the-parts',
    input: z.object({}),
    output: z.strictObject({
      parts: z.array(z.strictObject({ name: z.string(), rows: z.int() })),
      mark: z.iso.datetime(),
      last_change: z.iso.datetime(),
    }),
    requires: mayExport,
    scope: 'read-all-products',
    isVolatile: true,
  },
  async (ctx) => {
    const lastChange = sql<number>`max(
      coalesce((SELECT max(${b.changedAt}) FROM bugs b), 0),
      coalesce((SELECT max(${h.changedAt}) FROM history h WHERE ${h.field} = 'comment_tag'), 0),
      coalesce((SELECT max(${a.happenedAt}) FROM audit_log a), 0))`
    const highest = PARTS.map(({ table }, n) => [
      `rows${n}`,
      sql<number>`coalesce((SELECT max(${aliasColumn(table.id, 't')}) FROM ${table} t), 0)`.as(
        `rows${n}`,
      ),
    ])
    const { found } = await readBatch(ctx, {
      found: db
        .select({ ...Object.fromEntries(highest), lastChange: lastChange.as('last_change') })
        .from(sql`(SELECT 1)`),
    })
    const row = found[0] as Record<string, number> | undefined
    return {
      parts: PARTS.map(({ name }, n) => ({ name, rows: row?.[`rows${n}`] ?? 0 })),
      mark: toDatetime(ctx.now),
      last_change: toDatetime(Math.min(row?.lastChange ?? 0, ctx.now)),
    }
  },
)

/** An answer ends after many lines, too: the one without lines is the last. */
export const exportPart = operation(
  {
    method: 'GET',
    path: '/export/:part',
    summary: 'Read lines of a part',
    reference: 'archive.md#read-a-part',
    input: z.object({
      part: z.string(),
      after: count(),
      since: datetime(),
      credentials: boolean(),
    }),
    output: z.unknown().meta({ type: 'string', description: 'A line of JSON for each row' }),
    mediaType: 'application/x-ndjson',
    faults: [archivePartUnknown],
    requires: mayExport,
    scope: 'read-all-products',
    isVolatile: true,
  },
  async (ctx, { part: name, after = 0, since = null, credentials = false }) => {
    const part = findPart(name)
    if (part === undefined) {
      throw fault(archivePartUnknown, { name: name.slice(0, 100) })
    }
    const isLeftOut = part.isCredential && !credentials
    const chunks = isLeftOut
      ? noLines()
      : readPartLines(ctx, part, { after, since, withCredentials: credentials })
    // ahead of the answer, because only now its status can tell of a failure
    const first = await chunks.next()
    return streamJson(prepend(first, chunks), `export of ${part.name}`, 'application/x-ndjson')
  },
)

async function* noLines(): AsyncGenerator<string> {}

async function* prepend(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (!first.done) {
    yield first.value
    yield* rest
  }
}

/** The lines of a part in pieces. */
export async function* readPartLines(
  ctx: Ctx,
  part: Part,
  range: Omit<LineRange, 'limit' | 'bytes'>,
): AsyncGenerator<string> {
  let { after } = range
  let sent = 0
  for (let chunk = 0; chunk < MAX_CHUNKS && sent < MAX_CHARACTERS; chunk += 1) {
    const { text, count, last } = await runInReadTurn(ctx, () =>
      readChunk(ctx, part, { ...range, after, limit: CHUNK.lines, bytes: CHUNK.bytes }),
    )
    if (text !== '') {
      yield text
    }
    // what ended for its bytes has no fewer characters
    if (count < CHUNK.lines && text.length < CHUNK.bytes / BYTES_OF_CHARACTER) {
      return
    }
    sent += text.length
    after = last
  }
}

async function readChunk(ctx: Ctx, part: Part, range: LineRange) {
  const { rows } = await readBatch(ctx, { rows: selectLines(part, range) })
  const lines = rows.map((row) => presentLine(part, range, row))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return { text, count: rows.length, last: Number(lines.at(-1)?.id) }
}

export const exportFile = operation(
  {
    method: 'GET',
    path: '/export/file/:digest',
    summary: 'Read the bytes of an attachment',
    reference: 'archive.md#read-a-file',
    input: z.object({ digest: z.string() }),
    output: z.unknown().meta({ type: 'string', format: 'binary' }),
    mediaType: 'application/octet-stream',
    faults: [archiveFileUnknown],
    requires: mayExport,
    scope: 'read-all-products',
    isVolatile: true,
  },
  async (ctx, { digest }) => {
    const { rows } = await readBatch(ctx, {
      rows: db
        .select({ objectKey: attachments.objectKey })
        .from(attachments)
        .where(sql`${attachments.sha256} = ${digest}`)
        .limit(1),
    })
    const object = rows[0] === undefined ? null : await ctx.env.FILES.get(rows[0].objectKey)
    if (object === null) {
      throw fault(archiveFileUnknown, { digest: digest.slice(0, 100) })
    }
    return new Response(object.body, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(object.size),
      },
    })
  },
)
