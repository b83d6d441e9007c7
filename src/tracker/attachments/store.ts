import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments } from '../../platform/db/schema/bugs.ts'
import { db, jsonList, sql } from '../../platform/db/sql.ts'
import type { ByteBlocks } from '../../platform/lib/base64.ts'
import { hashBlocks } from '../../platform/lib/crypto/hash-blocks.ts'
import { log } from '../../platform/lib/log.ts'
import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import { Pauses } from '../../platform/load/pauses.ts'

/** Bytes in the bucket that no row refers to yet. */
export type StoredBytes = {
  readonly objectKey: string
  /** Hexadecimal. */
  readonly sha256: string
  readonly size: number
  /** The key of the marker by which `deleteOrphans` finds these bytes. */
  readonly markerKey: string
}

const BYTES_PREFIX = 'attachments/'
/** Markers are empty objects, one for each upload without a confirmed row. Their keys sort by age. */
const MARKER_PREFIX = 'unsettled/'
const TIME_DIGITS = 12

/** Much longer than any request: bytes of this age without a row will never get one. */
const ORPHAN_AGE_SECONDS = 24 * 3600
const MAX_SWEPT_MARKERS = 200

/**
 * Stores bytes under a new random key. A marker is stored first, so that `deleteOrphans` finds the bytes when the
 * Worker dies before it writes the row. There is never a row without bytes. The blocks are detached and
 * cannot be used again.
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

/** Deletes the marker after the response, once the row is written. A marker that stays does no harm. */
export function deleteMarker(ctx: Ctx, { markerKey }: StoredBytes): void {
  ctx.defer(() => ctx.env.FILES.delete(markerKey))
}

/**
 * Deletes bytes whose row was never written, oldest first and a limited number in each run, and the markers
 * of all uploads that it checked. Idempotent: an interrupted run is repeated by the next one.
 */
export async function deleteOrphans(ctx: Ctx): Promise<void> {
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
      .where(sql`${attachments.objectKey} IN ${jsonList(keys)}`),
  })
  const storedKeys = new Set(rows.map(({ objectKey }) => objectKey))
  const orphans = keys.filter((key) => !storedKeys.has(key))
  if (orphans.length > 0) {
    await env.FILES.delete(orphans)
    log('warn', 'attachments without a row removed', { count: orphans.length })
  }
  await env.FILES.delete(old)
}

function parseMarkerTime(markerKey: string): number {
  return Number(markerKey.slice(MARKER_PREFIX.length, MARKER_PREFIX.length + TIME_DIGITS))
}

/** A bucket that takes them as fast as they come would let nobody else in. */
const BYTES_BETWEEN_PAUSES = 256 * 1024

/** Writes block by block, so that the bytes are never copied into one buffer. */
async function putBlocks(
  files: R2Bucket,
  { objectKey, sha256, size }: StoredBytes,
  blocks: ByteBlocks,
) {
  const { readable, writable } = new FixedLengthStream(size)
  const writer = writable.getWriter()
  const putting = files.put(objectKey, readable, { sha256, onlyIf: { etagDoesNotMatch: '*' } })
  const writing = writeBlocks(writer, blocks)
  // `writing` rejects with the same error
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
  const pauses = new Pauses(BYTES_BETWEEN_PAUSES)
  for (const block of blocks) {
    await pauses.pauseBefore(block.length)
    await writer.write(block)
    // frees the memory now, because the garbage collector may run much later
    block.buffer.transfer(0)
  }
  await writer.close()
}
