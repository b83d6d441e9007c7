import type { SQL } from 'drizzle-orm'
import { allOf, containsText, sql } from '../../platform/db/sql.ts'
import { lengthOf } from '../../platform/lib/text.ts'

/** A text between two stars is looked for in what each earlier one left over. */
const STEPS_OF_INNER = 3
/** No login or real name is as long; a longer string finds nobody, and is not even looked for. */
const MAX_SOUGHT = 1000

/** What it takes to test an account, in steps of one text without stars. */
export function stepsOfPattern(pattern: string): number {
  return 1 + STEPS_OF_INNER * splitPattern(pattern).inner.length
}

/** Whether some text may be as long as all that the string says. */
export function mayMatch(pattern: string): boolean {
  return lengthOf(pattern.replaceAll('*', '')) <= MAX_SOUGHT
}

/**
 * Whether a column matches a string: contains it or, when it has a `*` for any run of characters, matches it as a whole:
 * what stands ahead of the first and behind the last star is compared, and each text between two stars is found behind
 * the first occurrence of the one before. LIKE and GLOB of D1 refuse patterns over 50 bytes, and go back and forth.
 */
export function matchesNamePattern(column: SQL, pattern: string): SQL {
  if (!pattern.includes('*')) {
    return containsText(column, pattern)
  }
  const { first, inner, last } = splitPattern(pattern)
  const [ahead, behind] = [lengthOf(first), lengthOf(last)]
  const least = lengthOf(pattern.replaceAll('*', ''))
  const number = (value: number) => sql.raw(String(value))
  return allOf([
    sql`length(${column}) >= ${number(least)}`,
    ...(ahead > 0 ? [sql`substr(${column}, 1, ${number(ahead)}) = ${first}`] : []),
    ...(behind > 0 ? [sql`substr(${column}, ${number(-behind)}) = ${last}`] : []),
    ...(inner.length > 0
      ? [
          hasInOrder(
            sql`SELECT substr(${column}, ${number(ahead + 1)}, length(${column}) - ${number(ahead + behind)}) AS rest`,
            inner,
          ),
        ]
      : []),
  ])
}

function hasInOrder(rest: SQL, texts: readonly string[]): SQL {
  const [text = '', ...others] = texts
  if (others.length === 0) {
    return sql`EXISTS (SELECT 1 FROM (${rest}) WHERE ${containsText(sql`rest`, text)})`
  }
  const length = sql.raw(String(lengthOf(text)))
  return hasInOrder(
    sql`SELECT substr(rest, instr(rest, ${text}) + ${length}) AS rest
      FROM (${rest}) WHERE ${containsText(sql`rest`, text)}`,
    others,
  )
}

function splitPattern(pattern: string) {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop() ?? ''
  return { first, last, inner: others.filter((text) => text !== '') }
}
