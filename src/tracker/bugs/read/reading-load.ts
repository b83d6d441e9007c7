import type { Ctx } from '../../../platform/context.ts'
import { RowsTooLong } from '../../../platform/db/read-limit.ts'
import { MOST_OF_REQUEST } from '../../../platform/db/request-limits.ts'
import { turnOwner } from '../../../platform/http/operations/caller-key.ts'
import {
  type AnswerCaller,
  canReadLarge,
  countReader,
  limitBugs,
  limitBytesOfBugs,
  limitChunk,
  readLarge,
  takeTurn,
} from '../../../platform/load/readers.ts'
import { admitDiscussions } from '../../history/discussion-bounds.ts'

/** The bugs of a chunk while few read many. */
const WHOLE = 500
/** More bugs than these are read and presented in turns, so that others are served between them. */
const MANY = 100

/** How many times fewer bugs are read at once where they are too long together. */
const TOO_LONG = 5

/** How many bugs one call reads and holds at once, and in whose turn: fewer while others read many. */
export class ReadingLoad {
  readonly #ctx: Ctx
  /** Of the JSON of a bug, on average. */
  #length = 1500
  /** The most bugs of one statement, fewer once they were too long together. */
  #most = WHOLE
  /** They were too long together. */
  #isLong = false

  readonly caller: AnswerCaller
  /** Discussions, histories or attachments come with each bug. */
  readonly isLarge: boolean
  /** The most bugs of the first chunk. */
  readonly chunk: number

  constructor(ctx: Ctx, isLarge: boolean) {
    this.#ctx = ctx
    this.caller = { key: turnOwner(ctx), isPerson: ctx.caller.kind === 'person' }
    this.isLarge = isLarge
    this.chunk = this.nextChunk
  }

  /** The most bugs in memory at once: fewer while others read many. */
  get nextChunk(): number {
    const most = this.isLarge ? limitBugs(50) : Math.ceil(this.mostBytes / this.#length)
    return Math.min(this.#most, most)
  }

  /** The most characters of JSON in memory at once. */
  get mostBytes(): number {
    return this.isLarge ? limitChunk().bytes : limitBytesOfBugs()
  }

  /** Learns the characters of one bug, on average. */
  noteLength(characters: number): void {
    this.#length = characters || this.#length
  }

  /**
   * Reads so many bugs at once, or as many as one statement may. Null where they are too long for that: fewer are read
   * at once from then on.
   */
  async orTooLong<Result>(bugs: number, read: () => Promise<Result>): Promise<Result | null> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof RowsTooLong)) {
        throw error
      }
      this.#isLong = true
      this.#most = Math.max(1, Math.floor(Math.min(bugs, this.#most) / TOO_LONG))
      return null
    }
  }

  /** As many bugs as a search may find at most of `most`: one more than it may answer with where that is refused. */
  limitFound(most: number): number {
    return this.isLarge ? Math.min(most, MOST_OF_REQUEST.discussedBugs + 1) : most
  }

  /** Refuses the discussions of more bugs than a request may read. */
  admit(count: number): void {
    if (this.isLarge) {
      admitDiscussions(this.#ctx, count)
    }
  }

  /** Runs what answers with up to so many bugs. Many of them, or large ones, are read in smaller parts beside others. */
  answerMany<Result>(count: number, answer: () => Promise<Result>): Promise<Result> {
    return count > (this.isLarge ? 1 : MANY) ? countReader(answer) : answer()
  }

  /** Runs a round trip that reads many bugs. Those with discussions or histories take turns. */
  readMany<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.isLarge ? readLarge(this.caller.key, read) : read()
  }

  /** A chunk may be less than all: whoever searches reads IDs first, instead of finding the bugs again for each chunk. */
  get isPartial(): boolean {
    return this.isLarge || this.chunk < WHOLE
  }

  /** Whether `readMany` would have to wait. */
  get waits(): boolean {
    return this.isLarge && !canReadLarge()
  }

  /**
   * Runs what reads and presents so many bugs. Many or long ones take turns, unless `readMany` has one for what is
   * larger. Rows are presented within the same turn: while they waited between the two, they would take as much
   * memory as the answer.
   */
  inTurn<Result>(count: number, work: () => Promise<Result>): Promise<Result> {
    return (count > MANY || this.#isLong) && !this.isLarge
      ? takeTurn(this.caller.key, work)
      : work()
  }
}
