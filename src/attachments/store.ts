import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { attachments } from '../db/schema/attachments.ts'
import { jsonList, sql } from '../db/sql.ts'
import type { ByteBlocks } from '../lib/base64.ts'
import { log } from '../lib/log.ts'
import type { Upload } from '../lib/streaming-json-member.ts'

/** Bytes that are kept and that no row speaks of yet. */
export type StoredBytes = {
  readonly objectKey: string
  /** Hexadecimal. */
  readonly sha256: string
  readonly size: number
  /** Key of the note that tells the sweep of these bytes. */
  readonly markerKey: string
}

const BYTES_PREFIX = 'attachments/'
/** An empty object for each upload whose row is not known to be written; the oldest sort first. */
const MARKER_PREFIX = 'unsettled/'
const TIME_DIGITS = 12

/** No request lives nearly as long: what has no row by then will never get one. */
const ORPHAN_AGE_SECONDS = 24 * 3600
const MAX_SWEPT_MARKERS = 200

/**
 * Puts bytes under a key of their own that nobody had before. A note goes ahead of them, so that the
 * sweep finds them should the row never be written: whoever dies on the way leaves bytes without a row,
 * and never a row without bytes. The blocks are used up.
 */
export async function storeBytes(
  { env, now }: Ctx,
  { size, blocks }: Upload,
): Promise<StoredBytes> {
  const name = crypto.randomUUID()
  const markerKey = `${MARKER_PREFIX}${String(now).padStart(TIME_DIGITS, '0')}/${name}`
  const stored = {
    objectKey: `${BYTES_PREFIX}${name}`,
    sha256: hashBlocks(blocks),
    size,
    markerKey,
  }
  await env.FILES.put(markerKey, '')
  await putBlocks(env.FILES, stored, blocks)
  return stored
}

/** Strikes the note once the row is written, after the answer; a note that stays does no harm. */
export function deleteMarker(ctx: Ctx, { markerKey }: StoredBytes): void {
  ctx.later(() => ctx.env.FILES.delete(markerKey))
}

/**
 * Removes bytes whose row was never written, oldest first and a bounded number at a time, and strikes the
 * notes of all that it looked at. A part done twice, or cut off in the middle, is done again without harm.
 */
export async function sweepOrphans(ctx: Ctx): Promise<void> {
  const { env, now } = ctx
  const { objects } = await env.FILES.list({ prefix: MARKER_PREFIX, limit: MAX_SWEPT_MARKERS })
  const old = objects
    .map(({ key }) => key)
    .filter((key) => parseMarkerTime(key) < now - ORPHAN_AGE_SECONDS)
  if (old.length === 0) {
    return
  }
  const keys = old.map(
    (key) => `${BYTES_PREFIX}${key.slice(MARKER_PREFIX.length + TIME_DIGITS + 1)}`,
  )
  const { rows } = await readBatch(ctx, {
    rows: db
      .select({ objectKey: attachments.objectKey })
      .from(attachments)
      .where(sql`attachments.object_key IN ${jsonList(keys)}`),
  })
  const kept = new Set(rows.map(({ objectKey }) => objectKey))
  const orphans = keys.filter((key) => !kept.has(key))
  if (orphans.length > 0) {
    await env.FILES.delete(orphans)
    log('warn', 'attachments without a row removed', { count: orphans.length })
  }
  await env.FILES.delete(old)
}

function parseMarkerTime(markerKey: string): number {
  return Number(markerKey.slice(MARKER_PREFIX.length, MARKER_PREFIX.length + TIME_DIGITS))
}

function hashBlocks(blocks: ByteBlocks): string {
  const hash = createHash('sha256')
  for (const block of blocks) {
    hash.update(block)
  }
  return hash.digest('hex')
}

/** Block by block, so that the bytes are never copied together. */
async function putBlocks(
  files: R2Bucket,
  { objectKey, sha256, size }: StoredBytes,
  blocks: ByteBlocks,
) {
  const { readable, writable } = new FixedLengthStream(size)
  const writer = writable.getWriter()
  const putting = files.put(objectKey, readable, { sha256, onlyIf: { etagDoesNotMatch: '*' } })
  const writing = writeBlocks(writer, blocks)
  // told by `writing` as well
  writer.closed.catch(() => {})
  try {
    const [object] = await Promise.all([putting, writing])
    if (object === null) {
      throw new Error('The key of an attachment was taken')
    }
  } catch (error) {
    await Promise.allSettled([writer.abort(error), putting])
    writing.catch(() => {})
    throw error
  }
}

async function writeBlocks(writer: WritableStreamDefaultWriter<Uint8Array>, blocks: ByteBlocks) {
  for (const block of blocks) {
    await writer.write(block)
    // given back at once: what is left to the garbage collector stays for long
    block.buffer.transfer(0)
  }
  await writer.close()
}
