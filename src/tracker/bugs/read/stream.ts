import { countSender } from '../../../platform/lib/chunk-limit.ts'
import {
  NO_PLACEHOLDERS,
  PIECE_LENGTH,
  type ResponsePlaceholders,
  streamJson,
} from '../../../platform/lib/stream.ts'

/**
 * A response that is sent while the rest is read: first the bugs of `first`, then each list of `rest`; `gaps`
 * are the places of streamed comments. A failure aborts the response, so that no client takes a part for the
 * whole.
 */
export function streamBugs(
  first: readonly string[],
  rest: () => AsyncGenerator<readonly string[]>,
  gaps: ResponsePlaceholders = NO_PLACEHOLDERS,
  faults: readonly object[] = [],
): Response {
  const start = `{"faults":${JSON.stringify(faults)},"bugs":[`
  return streamJson(countSender(writeAnswer(start, startWith(first, rest()), gaps)), 'bugs')
}

async function* writeAnswer(
  start: string,
  chunks: AsyncGenerator<readonly string[]>,
  gaps: ResponsePlaceholders,
): AsyncGenerator<string> {
  let text = start
  let isFirst = true
  for await (const bugs of chunks) {
    for (const bug of bugs) {
      text += isFirst ? '' : ','
      isFirst = false
      for await (const piece of gaps.fillPlaceholders(bug)) {
        text += piece
        if (text.length >= PIECE_LENGTH) {
          yield text
          text = ''
        }
      }
    }
  }
  yield `${text}]}`
}

async function* startWith<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield first
  yield* rest
}
