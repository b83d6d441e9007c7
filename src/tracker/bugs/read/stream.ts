import { fault } from '../../../platform/faults/fault.ts'
import { serviceBusy } from '../../../platform/http/response/faults.ts'
import { type ResponsePlaceholders, streamText } from '../../../platform/lib/stream.ts'
import { countSender, hasRoomFor } from '../../../platform/load/readers.ts'
import type { ReadingLoad } from './reading-load.ts'
import type { BugObject } from './shape.ts'

/**
 * A response that is sent while the rest is read: first the bugs of `first`, then each list of `rest`; `gaps`
 * are the places of streamed comments. A failure aborts the response, so that no client takes a part for the
 * whole. Refused with 503 where too many others are being sent.
 */
export class BugStream extends Response {
  readonly faults: readonly { readonly faultString: string }[]
  readonly #readTexts: ReadTexts

  constructor(
    {
      load: { caller },
      gaps,
    }: { readonly load: Pick<ReadingLoad, 'caller'>; readonly gaps: ResponsePlaceholders },
    first: string[],
    rest: () => AsyncGenerator<string[]>,
    faults: readonly { readonly faultString: string }[] = [],
  ) {
    if (!hasRoomFor(caller)) {
      throw fault(serviceBusy)
    }
    // most answers have no placeholder, and looking for one takes longer than all else
    const write = function* (bugs: string[]) {
      for (const text of takeGroups(bugs, gaps.isEmpty ? SENT_TOGETHER : 1)) {
        yield gaps.isEmpty ? [text] : gaps.fillPlaceholders(text)
      }
    }
    const read = async function* () {
      yield* write(first)
      for await (const bugs of rest()) {
        yield* write(bugs)
      }
    }
    const readTexts = () => countSender(read(), caller)
    super(streamText(writeAnswer(readTexts, faults), 'bugs'), {
      headers: { 'content-type': 'application/json' },
    })
    this.faults = faults
    this.#readTexts = readTexts
  }

  /** The bugs one by one, for who writes them in another form instead of sending the response. */
  async *readBugs(): AsyncGenerator<BugObject> {
    for await (const pieces of this.#readTexts()) {
      let text = ''
      for await (const piece of pieces) {
        text += piece
      }
      yield* JSON.parse(`[${text}]`)
    }
  }
}

/** Bugs that are passed on together, because each step takes longer than the text of one. */
const SENT_TOGETHER = 16

/**
 * The texts of so many bugs at a time, of which the list holds none that was taken: a chunk stays referenced until the
 * next one is read.
 */
function* takeGroups(texts: string[], size: number): Generator<string> {
  for (let at = 0; at < texts.length; at += size) {
    const group = texts.slice(at, at + size)
    texts.fill('', at, at + size)
    yield group.join(',')
  }
}

/** Reads the JSON of the bugs, of one or of several with commas, each in pieces. */
type ReadTexts = () => AsyncGenerator<Iterable<string> | AsyncIterable<string>>

async function* writeAnswer(
  readTexts: ReadTexts,
  faults: readonly { readonly faultString: string }[],
): AsyncGenerator<string> {
  yield `{"faults":${JSON.stringify(faults)},"bugs":[`
  let separator = ''
  for await (const pieces of readTexts()) {
    yield separator
    yield* pieces
    separator = ','
  }
  yield ']}'
}
