import { waitUntil } from 'cloudflare:workers'
import { Capacity } from './capacity.ts'
import { Turns } from './turns.ts'

/**
 * Bytes of one read while no other request reads comments. Bytes are the limit, not the number of comments.
 */
const MAX_BYTES = 6_000_000
/** Bytes that every reader gets, however many there are. */
const MIN_BYTES = 300_000
/** The same of bugs without discussions, whose bytes are known beforehand: 500 of them have 750 KB, of which 32 fit. */
const BYTES_OF_BUGS = { most: 24_000_000, least: 60_000 }
/** An estimate of the memory that a comment takes beside its body. */
export const COMMENT_OVERHEAD_BYTES = 300

/** The most that one read of comments brings; reads end with the comment that exceeds the bytes. */
export type ChunkLimit = { readonly bytes: number; readonly comments: number }

/** Answers of many bugs at once, those of clients that read nothing included: of all, without a login, of one caller. */
const MAX_ANSWERS = 300
const MAX_ANSWERS_WITHOUT_LOGIN = 200
const MAX_ANSWERS_OF_CALLER = 100

/** Who shares the room for answers of many bugs. */
export type AnswerCaller = { readonly key: string; readonly isPerson: boolean }

/** What holds bugs or comments until they are sent, and of these the answers of many bugs. */
type Share = 'all' | 'answers' | 'answers of strangers' | `answers of ${string}`

const readers = new Capacity<Share>()

/** A request whose client is gone may never report its end, so it is counted for this long at most. */
const MAX_READ_MS = 20_000
const MAX_SILENCE_MS = 300_000

function sharesOf({ key, isPerson }: AnswerCaller): Share[] {
  return ['answers', `answers of ${key}`, ...(isPerson ? [] : ['answers of strangers' as const])]
}

/**
 * The limit of the next read: the more answers hold comments, the less each of them reads at once, because
 * clients that do not read their answers would otherwise fill the memory of the isolate.
 */
export function limitChunk(): ChunkLimit {
  const bytes = shareBytes(MAX_BYTES, MIN_BYTES)
  // as many comments without a body fit into one read
  return { bytes, comments: Math.floor(bytes / COMMENT_OVERHEAD_BYTES) }
}

/** The limit of the next chunk of bugs without discussions, in the same way. */
export function limitBytesOfBugs(): number {
  return shareBytes(BYTES_OF_BUGS.most, BYTES_OF_BUGS.least)
}

function shareBytes(most: number, least: number): number {
  return Math.max(least, Math.floor(most / Math.max(1, readers.heldOf('all'))))
}

/** As many readers as this get whole chunks of bugs, and everybody a tenth of one. */
const WHOLE_CHUNKS = 4
const MIN_SHARE = 0.1

/** The bugs of the next chunk of an answer, of which it holds `most` while few read. */
export function limitBugs(most: number): number {
  const share = Math.min(1, WHOLE_CHUNKS / (readers.heldOf('all') + 1))
  return Math.ceil(most * Math.max(MIN_SHARE, share))
}

/** Whether one more answer of many bugs fits into memory, and leaves room for those of others. */
export function hasRoomFor({ key, isPerson }: AnswerCaller): boolean {
  return (
    readers.heldOf('answers') < MAX_ANSWERS &&
    readers.heldOf(`answers of ${key}`) < MAX_ANSWERS_OF_CALLER &&
    (isPerson || readers.heldOf('answers of strangers') < MAX_ANSWERS_WITHOUT_LOGIN)
  )
}

/** Runs a round trip that reads bugs or comments, or what reads many bugs. */
export function countReader<Result>(read: () => Promise<Result>): Promise<Result> {
  const result = runCounted(read)
  // a page that answers with a refusal does not wait for all that it reads
  waitUntil(result.catch(() => {}))
  return result
}

async function runCounted<Result>(read: () => Promise<Result>): Promise<Result> {
  const reader = readers.hold(['all'], 1, MAX_READ_MS)
  try {
    return await read()
  } finally {
    readers.release(reader)
  }
}

/**
 * Runs a round trip that may read as much as a chunk. Few of them run at once, because what the database returns is
 * several times as large as what stays in memory of it, and behind each others are served.
 */
export function readLarge<Result>(owner: string, read: () => Promise<Result>): Promise<Result> {
  return largeReads.run(owner, read)
}

/** Whether a `readLarge` would begin at once. */
export function canReadLarge(): boolean {
  return largeReads.isFree
}

const largeReads = new Turns<string>(1, 2)

/**
 * Reads and presents many bugs without discussions. One of these runs at once, and behind it others are served; no
 * `readLarge` keeps them waiting.
 */
export function takeTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
  return longWork.run(owner, work)
}

const longWork = new Turns<string>(1)

/** Passes pieces on; some of them stay in memory from the first to the last. */
export async function* countSender<Piece>(
  pieces: AsyncIterable<Piece>,
  caller: AnswerCaller | null = null,
): AsyncGenerator<Piece> {
  const shares = caller === null ? [] : sharesOf(caller)
  const reader = readers.hold(['all', ...shares], 1, MAX_SILENCE_MS)
  try {
    for await (const piece of pieces) {
      yield piece
      readers.renew(reader, MAX_SILENCE_MS)
    }
  } finally {
    readers.release(reader)
  }
}
