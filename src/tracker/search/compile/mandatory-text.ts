import { longestOf } from '../../../platform/lib/text.ts'

const MIN_LENGTH = 3
const CLASS = /^\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]/s
const REPETITION = /^\{\d+(?:,\d*)?\}/

/**
 * A text in lower case that every match of a regular expression contains, in either case: the longest run of
 * ASCII characters outside its groups and classes. Null when none has three characters.
 */
export function findMandatoryText(source: string): string | null {
  if (source.includes('|') || source.includes('(?')) {
    return null
  }
  const runs = ['']
  let depth = 0
  let rest = source
  const endRun = () => runs.push('')
  while (rest !== '') {
    const { taken, literal, isOptional } = readPart(rest)
    if (taken === 0) {
      break
    }
    if (literal !== null && depth === 0) {
      runs.push((runs.pop() ?? '') + literal.toLowerCase())
    } else {
      if (isOptional) {
        runs.push((runs.pop() ?? '').slice(0, -1))
      }
      depth += rest.startsWith('(') ? 1 : rest.startsWith(')') ? -1 : 0
      endRun()
    }
    rest = rest.slice(taken)
  }
  const longest = longestOf(runs)
  return longest.length < MIN_LENGTH ? null : longest
}

/** The next part: its length, its character, and whether it makes the one before optional. */
type Part = {
  readonly taken: number
  readonly literal: string | null
  readonly isOptional: boolean
}

/** Takes nothing where a part begins whose length is not known here: what comes behind is not looked at. */
function readPart(rest: string): Part {
  const [first = '', second = ''] = rest
  switch (first) {
    case '\\':
      return /[!-/:-@[-`{-~]/.test(second)
        ? { taken: 2, literal: second, isOptional: false }
        : { taken: 0, literal: null, isOptional: false }
    case '[':
      return { taken: CLASS.exec(rest)?.[0].length ?? 0, literal: null, isOptional: false }
    case '*':
    case '?':
    case '{':
      return { taken: REPETITION.exec(rest)?.[0].length ?? 1, literal: null, isOptional: true }
    default: {
      const isLiteral = first <= '\x7f' && !/[().^$+]/.test(first)
      return { taken: 1, literal: isLiteral ? first : null, isOptional: false }
    }
  }
}
