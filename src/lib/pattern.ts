/** A compiled regular expression. `matches` takes time in proportion to the length of the text. */
export type Pattern = { matches(text: string): boolean }

const MAX_SOURCE_LENGTH = 255

/** Each character of a text costs up to this many steps, because compiling unrolls repetitions. */
const MAX_PROGRAM_SIZE = 500

/**
 * Compiles a regular expression of a user, which matches anywhere in a text and ignores case. Null when it
 * is longer than 255 characters, is not RE2 syntax (no look-around, no back-references) or compiles to too
 * many steps. Matching never backtracks, so no pattern can block the service.
 */
export async function compilePattern(source: string): Promise<Pattern | null> {
  if (source.length > MAX_SOURCE_LENGTH) {
    return null
  }
  // loaded on first use, because most requests compile no pattern
  const { RE2JS, RE2JSException } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    return compiled.programSize() > MAX_PROGRAM_SIZE
      ? null
      : { matches: (text) => compiled.test(text) }
  } catch (error) {
    if (error instanceof RE2JSException) {
      return null
    }
    throw error
  }
}
