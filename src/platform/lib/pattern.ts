/** A compiled regular expression. `matches` takes time in proportion to the length of the text. */
export type Pattern = {
  matches(text: string): boolean
  /** Each character of a text costs up to this many steps, because compiling unrolls repetitions. */
  readonly size: number
}

/** How long a regular expression may be, and how many steps it may compile to. */
export type PatternLimits = { readonly length: number; readonly size: number }

const LIMITS: PatternLimits = { length: 255, size: 500 }

/**
 * Compiles a regular expression of a user, which matches anywhere in a text and ignores case. Null when it
 * is longer than 255 characters, is not RE2 syntax (no look-around, no back-references) or compiles to more than
 * 500 steps; or than other limits. Matching never backtracks, so no pattern can block the service.
 */
export async function compilePattern(source: string, limits = LIMITS): Promise<Pattern | null> {
  if (source.length > limits.length) {
    return null
  }
  // loaded on first use, because most isolates compile no pattern
  const { RE2JS, RE2JSException } = await import('re2js')
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    const size = compiled.programSize()
    return size > limits.size ? null : { matches: (text) => compiled.test(text), size }
  } catch (error) {
    if (error instanceof RE2JSException) {
      return null
    }
    throw error
  }
}
