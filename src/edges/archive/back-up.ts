import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments } from '../../platform/db/schema/bugs.ts'
import { db, limitTo, sql } from '../../platform/db/sql.ts'
import { log } from '../../platform/lib/log.ts'
import { BYTES_OF_CHARACTER } from '../../platform/lib/stream.ts'
import { toDatetime, toDay } from '../../platform/lib/time.ts'
import { PARTS } from './parts.ts'
import { presentLine, selectLines } from './select-lines.ts'

/** Everything about backups in the bucket. */
const PREFIX = 'backups/'
const STATE = `${PREFIX}state.json`

/** Lines of a piece, each of which is one round trip and one object. */
const MAX_LINES = 500
/** Of the texts of a piece, which are in memory several times. */
const MAX_BYTES = 4_000_000
/** Pieces of one run: with their objects, a third of the calls that the platform allows. */
const MAX_PIECES = 150
const DAY_SECONDS = 86_400
/** Days between two whole backups; those between have what has changed. */
const WHOLE_EVERY = 7

/** A backup that is whole in the bucket. */
export type Backup = {
  /** The day that it was begun, `YYYY-MM-DD`. */
  readonly name: string
  /** What changed since then; null for a whole one. */
  readonly since: string | null
  readonly moment: string
  /** Its objects in the order of their lines. */
  readonly pieces: readonly string[]
}

/** How far the present backup is: the part, the last line of it that is stored, and the pieces. */
type Unfinished = {
  readonly name: string
  readonly since: string | null
  readonly moment: string
  part: number
  after: number
  pieces: string[]
}

type State = { unfinished: Unfinished | null; backups: Backup[] }

/** The backups in the bucket, oldest first. */
export async function loadBackups({ env }: Pick<Ctx, 'env'>): Promise<readonly Backup[]> {
  return (await readState(env.FILES)).state.backups
}

export function backupKey(name: string, file: string): string {
  return `${PREFIX}${name}/${file}`
}

/**
 * Goes on with the backup of this day, a whole one every week and what has changed on other days, and deletes those
 * that are too old. A run that is broken off, or overtaken by another, loses the pieces since it last noted them.
 */
export async function backUp(ctx: Ctx): Promise<void> {
  const { env, settings, now } = ctx
  if (settings.BACKUP_DAYS === 0) {
    return
  }
  const { state, etag } = await readState(env.FILES)
  state.unfinished ??= planBackup(state.backups, now)
  const { unfinished } = state
  if (unfinished === null) {
    return
  }
  for (let count = 0; count < MAX_PIECES && unfinished.part <= PARTS.length; count += 1) {
    await storePiece(ctx, unfinished)
  }
  const isDone = unfinished.part > PARTS.length
  const outdated = isDone
    ? finish(state, unfinished, toDay(now - settings.BACKUP_DAYS * DAY_SECONDS))
    : []
  const stored = await env.FILES.put(STATE, JSON.stringify(state), {
    onlyIf: etag === null ? { etagDoesNotMatch: '*' } : { etagMatches: etag },
  })
  if (stored === null || !isDone) {
    return
  }
  log('info', 'backup done', { name: unfinished.name, pieces: unfinished.pieces.length })
  for (const { name, pieces } of outdated) {
    for (let n = 0; n < pieces.length; n += 1000) {
      await env.FILES.delete(pieces.slice(n, n + 1000).map((piece) => backupKey(name, piece)))
    }
  }
}

async function readState(files: R2Bucket): Promise<{ state: State; etag: string | null }> {
  const object = await files.get(STATE)
  return object === null
    ? { state: { unfinished: null, backups: [] }, etag: null }
    : { state: await object.json<State>(), etag: object.etag }
}

/** The backup of this day; null when there is one. */
function planBackup(backups: readonly Backup[], now: number): Unfinished | null {
  const last = backups.at(-1)
  const name = toDay(now)
  if (last?.name === name) {
    return null
  }
  const whole = backups.findLast(({ since }) => since === null)
  const isWhole = whole === undefined || whole.name <= toDay(now - WHOLE_EVERY * DAY_SECONDS)
  const since = isWhole ? null : (last?.moment ?? null)
  return { name, since, moment: toDatetime(now), part: 0, after: 0, pieces: [] }
}

/** Stores the next lines of the present part, or goes on to the next part. The last one tells where bytes are. */
async function storePiece({ env, session }: Ctx, backup: Unfinished): Promise<void> {
  const part = PARTS[backup.part]
  const name = part?.name ?? 'objects'
  const range = {
    after: backup.after,
    limit: MAX_LINES,
    bytes: MAX_BYTES,
    withCredentials: true,
    since: backup.since === null ? null : Date.parse(backup.since) / 1000,
  }
  const { rows } = await readBatch(
    { session },
    { rows: part === undefined ? selectObjects(range.after) : selectLines(part, range) },
  )
  const lines = rows.map((row) => (part === undefined ? row : presentLine(part, range, row)))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  if (lines.length > 0) {
    const piece = `${name}.${String(backup.pieces.length).padStart(6, '0')}.ndjson`
    await env.FILES.put(backupKey(backup.name, piece), text)
    backup.pieces.push(piece)
    backup.after = Number((lines.at(-1) as { id: number }).id)
  }
  // what ended for its bytes has no fewer characters
  if (lines.length < MAX_LINES && text.length < MAX_BYTES / BYTES_OF_CHARACTER) {
    backup.part += 1
    backup.after = 0
  }
}

function selectObjects(after: number) {
  return db
    .select({ id: attachments.id, digest: attachments.sha256, key: attachments.objectKey })
    .from(attachments)
    .where(sql`${attachments.id} > ${after}`)
    .orderBy(sql`${attachments.id} ${limitTo(MAX_LINES)}`)
}

/** Returns the backups that nobody needs any more: those before the whole one that the oldest kept one rests on. */
function finish(
  state: State,
  { part: _, after: __, ...done }: Unfinished,
  oldest: string,
): Backup[] {
  const backups = [...state.backups, done]
  const kept = backups.findIndex(({ name }) => name >= oldest)
  const base = backups.slice(0, kept + 1).findLastIndex(({ since }) => since === null)
  state.backups = backups.slice(Math.max(base, 0))
  state.unfinished = null
  return backups.slice(0, Math.max(base, 0))
}
