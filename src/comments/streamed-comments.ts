import type { Ctx } from '../context.ts'
import type { ResponsePlaceholders } from '../lib/stream.ts'
import {
  type CommentList,
  type CommentPosition,
  isTruncated,
  loadCommentsAfter,
  type SizedCommentRow,
  sumBytes,
} from './chunks.ts'
import type { CommentRow } from './present.ts'

/** Bytes of comments in an answer that is held as a whole; it repeats most of them. */
const MAX_BUFFERED_BYTES = 600_000

/** Characters that are gathered before they are sent. */
const PIECE_LENGTH = 64_000

/** Whether comments are all there, and few enough that an answer with them may be held as a whole. */
export function canBuffer(rows: readonly SizedCommentRow[]): boolean {
  return !isTruncated(rows) && sumBytes(rows) <= MAX_BUFFERED_BYTES
}

/** A comment as it is shown, and which bug it is on. */
export type PresentedComment = { readonly bugId: number; readonly comment: object }

/**
 * The answer of Get Comments for bugs in pieces of some length, from comments in the order of the bugs.
 * Contract "Comments".
 */
export async function* writeComments(
  bugIds: readonly number[],
  comments: AsyncIterable<PresentedComment>,
): AsyncGenerator<string> {
  let text = '{"bugs":{'
  let place = -1
  let isFirst = true
  const goOn = () => {
    place += 1
    isFirst = true
    text += `${place === 0 ? '' : ']},'}"${bugIds[place]}":{"comments":[`
  }
  for await (const { bugId, comment } of comments) {
    while (place < bugIds.length - 1 && (place < 0 || bugIds[place] !== bugId)) {
      goOn()
    }
    text += `${isFirst ? '' : ','}${JSON.stringify(comment)}`
    isFirst = false
    if (text.length >= PIECE_LENGTH) {
      yield text
      text = ''
    }
  }
  while (place < bugIds.length - 1) {
    goOn()
  }
  yield `${text}${place < 0 ? '' : ']}'}},"comments":{}}`
}

/**
 * Gaps in a JSON answer for the comments of bugs, where those are too many to be held with it. They are
 * filled while the answer is sent: first with what was read together with the bugs, then with what is
 * behind that, a trip for each part.
 */
export class StreamedComments implements ResponsePlaceholders {
  readonly #ctx: Ctx
  readonly #list: CommentList
  readonly #show: (row: CommentRow) => object
  /** Nobody can have written it into a text of the answer. */
  readonly #mark = crypto.randomUUID()
  readonly #waiting = new Map<string, () => AsyncGenerator<SizedCommentRow>>()
  #left = 0

  constructor(ctx: Ctx, list: CommentList, show: (row: CommentRow) => object) {
    this.#ctx = ctx
    this.#list = list
    this.#show = show
  }

  /** Whether nothing waits to be filled. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /**
   * The text that stands for the comments of a bug. `read` are those that were read together with the bug;
   * `cutAt` is where that reading, of other bugs too, was cut.
   */
  addPlaceholder(
    bugId: number,
    read: readonly SizedCommentRow[],
    cutAt: CommentPosition | undefined,
  ): string {
    const [ctx, list] = [this.#ctx, this.#list]
    const name = `${this.#mark}:${this.#left++}`
    this.#waiting.set(name, async function* () {
      yield* read
      if (cutAt !== undefined && cutAt.bugId <= bugId) {
        const behind = cutAt.bugId === bugId ? cutAt : null
        yield* loadCommentsAfter(ctx, list, [bugId], behind, read.length)
      }
    })
    return name
  }

  /** A part of the answer, as JSON, with its gaps filled, in pieces. */
  async *fillPlaceholders(json: string): AsyncGenerator<string> {
    for (const [i, piece] of json.split(new RegExp(`"(${this.#mark}:\\d+)"`)).entries()) {
      if (i % 2 === 0) {
        yield piece
      } else {
        yield* this.#comments(piece)
      }
    }
  }

  async *#comments(name: string): AsyncGenerator<string> {
    const rows = this.#waiting.get(name)
    this.#waiting.delete(name)
    let text = '['
    let isFirst = true
    for await (const row of rows?.() ?? []) {
      text += `${isFirst ? '' : ','}${JSON.stringify(this.#show(row))}`
      isFirst = false
      if (text.length >= PIECE_LENGTH) {
        yield text
        text = ''
      }
    }
    yield `${text}]`
  }
}
