import type { Ctx } from '../../platform/context.ts'
import { Placeholders } from '../../platform/lib/placeholders.ts'
import type { ResponsePlaceholders } from '../../platform/lib/stream.ts'
import type { ChunkLimit } from '../../platform/load/readers.ts'
import {
  type CommentList,
  type CommentPosition,
  isTruncated,
  loadCommentsAfter,
  type SizedCommentRow,
  sumBytes,
} from './chunks.ts'
import type { CommentRow } from './present.ts'

/** Bytes of comments in an answer that is built in memory, which repeats most of them. */
const MAX_BUFFERED_BYTES = 600_000

/** Whether the rows are all comments, and small enough for an answer that is built in memory. */
export function canBuffer(rows: readonly SizedCommentRow[], limit: ChunkLimit): boolean {
  return !isTruncated(rows, limit) && sumBytes(rows) <= MAX_BUFFERED_BYTES
}

export type PresentedComment = { readonly bugId: number; readonly comment: object }

/** Writes the JSON of the comments of bugs in pieces, one for each of some comments in the order of the bugs. */
export async function* writeComments(
  bugIds: readonly number[],
  parts: AsyncIterable<readonly PresentedComment[]>,
): AsyncGenerator<string> {
  let text = '{"bugs":{'
  let index = -1
  let isFirst = true
  const startNextBug = () => {
    index += 1
    isFirst = true
    text += `${index === 0 ? '' : ']},'}"${bugIds[index]}":{"comments":[`
  }
  for await (const comments of parts) {
    for (const { bugId, comment } of comments) {
      while (index < bugIds.length - 1 && (index < 0 || bugIds[index] !== bugId)) {
        startNextBug()
      }
      text += `${isFirst ? '' : ','}${JSON.stringify(comment)}`
      isFirst = false
    }
    yield text
    text = ''
  }
  while (index < bugIds.length - 1) {
    startNextBug()
  }
  yield `${text}${index < 0 ? '' : ']}'}},"comments":{}}`
}

/**
 * Placeholders in the JSON of bugs for comments that are too large to be built in memory. They are filled
 * while the response is sent: with the comments that were read with the bugs, then with those behind, one
 * round trip for each chunk.
 */
export class StreamedComments implements ResponsePlaceholders {
  readonly #ctx: Ctx
  readonly #list: CommentList
  readonly #present: (row: CommentRow) => object
  readonly #placeholders = new Placeholders()
  readonly #pending = new Map<string, () => AsyncGenerator<readonly SizedCommentRow[]>>()
  #count = 0

  constructor(ctx: Ctx, list: CommentList, present: (row: CommentRow) => object) {
    this.#ctx = ctx
    this.#list = list
    this.#present = present
  }

  /** Whether no placeholder is left to fill. */
  get isEmpty(): boolean {
    return this.#pending.size === 0
  }

  /**
   * Returns the placeholder for the comments of a bug. `firstRows` were read with the bug; `cutAt` is the
   * position of the last comment of that read, of any bug, unless it returned all of them.
   */
  addPlaceholder(
    bugId: number,
    firstRows: readonly SizedCommentRow[],
    cutAt: CommentPosition | undefined,
  ): string {
    const [ctx, list] = [this.#ctx, this.#list]
    const name = String(this.#count++)
    this.#pending.set(name, async function* () {
      yield firstRows
      if (cutAt !== undefined && cutAt.bugId <= bugId) {
        const position = cutAt.bugId === bugId ? cutAt : null
        yield* loadCommentsAfter(ctx, list, [bugId], position, firstRows.length)
      }
    })
    return this.#placeholders.write(name)
  }

  /** A part of the JSON with its placeholders filled, in pieces. */
  async *fillPlaceholders(json: string): AsyncGenerator<string> {
    for (const { text, name } of this.#placeholders.split(json)) {
      yield text
      if (name !== null) {
        yield* this.#writeComments(name)
      }
    }
  }

  async *#writeComments(name: string): AsyncGenerator<string> {
    const rows = this.#pending.get(name)
    this.#pending.delete(name)
    let separator = '['
    for await (const chunk of rows?.() ?? []) {
      for (const row of chunk) {
        yield separator + JSON.stringify(this.#present(row))
        separator = ','
      }
    }
    yield separator === '[' ? '[]' : ']'
  }
}
