import { countSender } from '../../comments/chunk-limit.ts'
import { NO_PLACEHOLDERS, type ResponsePlaceholders, streamJson } from '../../lib/stream.ts'

/** The JSON of some bugs in a search answer. */
export function writeBugs(bugs: readonly object[]): string {
  return bugs.map((bug) => JSON.stringify(bug)).join(',')
}

/**
 * A search answer that is sent while the rest of it is still being read: `first`, a text of `writeBugs` that is not
 * empty, at once, then each text of `rest`; `gaps` are those that bugs leave for their comments. A failure on the
 * way breaks the answer off, so that nobody takes a part for the whole.
 */
export function streamBugs(
  first: string,
  rest: () => AsyncGenerator<string>,
  gaps: ResponsePlaceholders = NO_PLACEHOLDERS,
): Response {
  return streamJson(countSender(writeAnswer(first, rest(), gaps)), 'search answer')
}

async function* writeAnswer(
  first: string,
  rest: AsyncGenerator<string>,
  gaps: ResponsePlaceholders,
): AsyncGenerator<string> {
  yield* gaps.fillPlaceholders(`{"faults":[],"bugs":[${first}`)
  for await (const bugs of rest) {
    yield* gaps.fillPlaceholders(bugs === '' ? '' : `,${bugs}`)
  }
  yield ']}'
}
