/** Whether a text matches; the time is linear in its length. */
export type Pattern = { matches(text: string): boolean }

const LONGEST = 255

/** Steps that one character of a text may cost: repetitions are written out when a pattern is compiled. */
const LARGEST_PROGRAM = 500

/**
 * Compiles a regular expression from outside, to match anywhere in a text and regardless of case; null
 * when it is longer than 255 characters, not of the RE2 syntax (no look-around, no back-references), or
 * would cost too much. Matching never backtracks, so no pattern can hold the service up.
 */
export async function compilePattern(source: string): Promise<Pattern | null> {
  if (source.length > LONGEST) {
    return null
  }
  // begins to run with the first pattern, which most requests never see
  const { RE2JS, RE2JSException } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    return compiled.programSize() > LARGEST_PROGRAM
      ? null
      : { matches: (text) => compiled.test(text) }
  } catch (error) {
    if (error instanceof RE2JSException) {
      return null
    }
    throw error
  }
}
