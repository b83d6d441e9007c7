import { Tally } from './isolate.ts'
import { Turns } from './turns.ts'

/**
 * Bytes of one read while no other request reads comments. Bytes are the limit, not the number of comments.
 */
const MAX_BYTES = 6_000_000
/** Bytes that every reader gets, however many there are. */
const MIN_BYTES = 300_000
/** An estimate of the memory that a comment takes beside its body. */
export const COMMENT_OVERHEAD_BYTES = 300

/** The most that one read of comments brings; reads end with the comment that exceeds the bytes. */
export type ChunkLimit = { readonly bytes: number; readonly comments: number }

/** Until when answers count that read bugs or comments at the moment, or hold them until they are sent. */
const readers = new Tally<object>()

/** A request whose client is gone may never report its end, so it is counted for this long at most. */
const MAX_READ_MS = 20_000
const MAX_SILENCE_MS = 300_000

function countReaders(): number {
  const now = Date.now()
  for (const [reader, countedUntil] of readers) {
    if (countedUntil < now) {
      readers.delete(reader)
    }
  }
  return readers.size
}

function addReader(milliseconds: number): object {
  const reader = {}
  readers.set(reader, Date.now() + milliseconds)
  return reader
}

/**
 * The limit of the next read: the more answers hold comments, the less each of them reads at once, because
 * clients that do not read their answers would otherwise fill the memory of the isolate.
 */
export function limitChunk(): ChunkLimit {
  const bytes = Math.max(MIN_BYTES, Math.floor(MAX_BYTES / Math.max(1, countReaders())))
  // as many comments without a body fit into one read
  return { bytes, comments: Math.floor(bytes / COMMENT_OVERHEAD_BYTES) }
}

/** As many readers as this get whole chunks of bugs, and everybody a tenth of one. */
const WHOLE_CHUNKS = 4
const MIN_SHARE = 0.1

/** The bugs of the next chunk of an answer, of which it holds `most` while few read. */
export function limitBugs(most: number): number {
  const share = Math.min(1, WHOLE_CHUNKS / (countReaders() + 1))
  return Math.ceil(most * Math.max(MIN_SHARE, share))
}

/** Runs a round trip that reads bugs or comments. */
export async function countReader<Result>(read: () => Promise<Result>): Promise<Result> {
  const reader = addReader(MAX_READ_MS)
  try {
    return await read()
  } finally {
    readers.delete(reader)
  }
}

/**
 * Runs a round trip that may read as much as a chunk. Few of them run at once, because what the database returns is
 * several times as large as what stays in memory of it, and behind each others are served.
 */
export function readLarge<Result>(read: () => Promise<Result>): Promise<Result> {
  return largeReads.run(null, read)
}

/** Whether a `readLarge` would begin at once. */
export function canReadLarge(): boolean {
  return largeReads.isFree
}

const largeReads = new Turns<null>(1, 2)

/**
 * Reads and presents many bugs without discussions. One of these runs at once, and behind it others are served; no
 * `readLarge` keeps them waiting.
 */
export function takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  return longWork.run(null, work)
}

const longWork = new Turns<null>(1)

/** Passes pieces on; some of them stay in memory from the first to the last. */
export async function* countSender<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const reader = addReader(MAX_SILENCE_MS)
  try {
    for await (const piece of pieces) {
      yield piece
      readers.set(reader, Date.now() + MAX_SILENCE_MS)
    }
  } finally {
    readers.delete(reader)
  }
}
