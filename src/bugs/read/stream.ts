import { NO_PLACEHOLDERS, type ResponsePlaceholders, streamJson } from '../../lib/stream.ts'

/**
 * A search answer that is sent while the rest of it is still being read: `first`, which is not empty, at
 * once, then each chunk of `rest`; `gaps` are those that bugs leave for their comments. A failure on the
 * way breaks the answer off, so that nobody takes a part for the whole.
 */
export function streamBugs(
  first: readonly object[],
  rest: () => AsyncGenerator<readonly object[]>,
  gaps: ResponsePlaceholders = NO_PLACEHOLDERS,
): Response {
  return streamJson(pieces(first, rest(), gaps), 'search answer')
}

async function* pieces(
  first: readonly object[],
  rest: AsyncGenerator<readonly object[]>,
  gaps: ResponsePlaceholders,
): AsyncGenerator<string> {
  yield* gaps.fillPlaceholders(`{"faults":[],"bugs":[${joined(first)}`)
  for await (const bugs of rest) {
    yield* gaps.fillPlaceholders(bugs.length === 0 ? '' : `,${joined(bugs)}`)
  }
  yield ']}'
}

function joined(bugs: readonly object[]): string {
  return bugs.map((bug) => JSON.stringify(bug)).join(',')
}
