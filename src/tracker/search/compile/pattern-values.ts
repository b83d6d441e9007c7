import type { SQL } from 'drizzle-orm'
import { visibleBugCondition } from '../../../platform/access/visibility.ts'
import type { ExpressionSelect } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, allOf, jsonList, limitTo, sql } from '../../../platform/db/sql.ts'
import { longestOf } from '../../../platform/lib/text.ts'
import {
  leadersOf,
  listedCondition,
  listOf,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
  testAll,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import { originalText } from './operand.ts'
import { type RowValues, sourceOfShape } from './row-values.ts'
import type { SingleValue } from './single-value.ts'
import { loginOperand } from './value-source.ts'

/** Values that one block passes, and about how many bytes those may have that are read. */
const BLOCK_ROWS = 10_000
const BLOCK_BYTES = 1_000_000
/** Bugs of which a block reads the value, or all values of each. */
const SINGLE_BUGS = 2000
const BLOCK_BUGS = 500

/** The values that a regular expression is compared with. */
export type PatternValues = {
  readonly from: SQL
  /** What identifies a value. */
  readonly key: SQL
  readonly value: SQL
  /** Whether a value counts; many of those that are passed may not. */
  readonly test: SQL
  /** The bug that a value belongs to, unless it is a name that bugs refer to. */
  readonly bugId?: SQL
}

/**
 * How to find the bugs whose values are read: by the index of a condition beside a regular expression, or of a text
 * that every match contains. And of how many bugs a block reads the values.
 */
export function bugsOf(
  shape: SingleValue | RowValues,
  members: readonly SearchCondition[],
  mandatory: string | null,
): { readonly bugs: SQL | undefined; readonly size: number } {
  const size = shape.shape === 'single' ? SINGLE_BUGS : BLOCK_BUGS
  if (sourceOfShape(shape).kind !== 'own') {
    return { bugs: undefined, size }
  }
  const access = mandatory === null ? undefined : shape.textCandidates?.('substring', [mandatory])
  const found = access === undefined ? [] : [listedCondition(access.select, SELECTIVITY.text)]
  const [leader] = leadersOf([...members, ...found])
  return leader === undefined || selectivityOf(leader) >= SELECTIVITY.value
    ? { bugs: undefined, size }
    : { bugs: listOf(leader).select, size }
}

/** The values of a field; those that belong to bugs count where the bug is visible and meets the conditions. */
export function patternValues(
  shape: SingleValue | RowValues,
  members: readonly SearchCondition[],
  context: CompileContext,
): PatternValues {
  const source = sourceOfShape(shape)
  switch (source.kind) {
    case 'named': {
      const { from, id, key = id, operand, where: test = sql`1` } = source
      return { from, key, value: originalText(operand), test }
    }
    case 'person': {
      const value = originalText(loginOperand('regexp', context))
      return { from: sql`users u`, key: u.id, value, test: sql`1` }
    }
    case 'own': {
      const text = originalText(source.operand)
      const [key, value] = [source.key, source.within?.(text) ?? text]
      // nothing that reads comments, files or changes of each bug
      const fast = members.filter(
        ({ cost: { looksAt } }) => looksAt === 'row' || looksAt === 'rows',
      )
      const ofBug = allOf([testAll(fast), visibleBugCondition(context.caller)])
      if (shape.shape === 'single') {
        return { from: sql`bugs`, key, value, test: ofBug, bugId: sql`${bugs.id}` }
      }
      const { from, bugId, visible = sql`1` } = shape
      const test = sql`${visible} AND EXISTS (SELECT 1 FROM bugs WHERE ${bugs.id} = ${bugId} AND ${ofBug})`
      return { from, key, value, test, bugId }
    }
  }
}

const u = aliasColumns(users, 'u')

/** A block of values: pairs of key and value as JSON, and the key behind which the next one begins; null for none. */
export type PatternBlock = { readonly found: string; readonly next: number | string | null }

/** Selects the next values of some bugs, or of all, in the order of their keys. */
export function selectBlock(
  { from, key, value, test, bugId }: PatternValues,
  {
    part,
    behind,
    mandatory,
  }: {
    readonly part: readonly number[] | null
    readonly behind: number | string | null
    readonly mandatory: string | null
  },
): ExpressionSelect<PatternBlock> {
  const isListed = part !== null && bugId !== undefined
  // a plus keeps SQLite from walking through all values in their order
  const order = isListed ? sql`+${key}` : key
  const where = allOf([
    behind === null ? sql`1` : sql`${order} > ${behind}`,
    isListed ? sql`${bugId} IN ${jsonList(part)}` : sql`1`,
  ])
  return {
    decoded: [],
    statement: sql`WITH block(key, value) AS MATERIALIZED (
        SELECT ${order}, max(CASE WHEN ${test} THEN coalesce(${value}, '') END) FROM ${from}
        WHERE ${where} GROUP BY ${order} ORDER BY ${order} ${limitTo(BLOCK_ROWS)}),
      text(key, value, bytes) AS MATERIALIZED (
        SELECT key, value, sum(octet_length(value)) OVER (ORDER BY key) FROM block WHERE ${mayMatch(mandatory)}),
      found(key, value) AS MATERIALIZED (
        SELECT key, value FROM text WHERE bytes - octet_length(value) < ${BLOCK_BYTES})
      SELECT (SELECT json_group_array(json_array(key, value)) FROM found) AS found,
        CASE WHEN (SELECT count(*) FROM found) < (SELECT count(*) FROM text) THEN (SELECT max(key) FROM found)
          WHEN (SELECT count(*) FROM block) = ${BLOCK_ROWS} THEN (SELECT max(key) FROM block) END AS next`,
  } as ExpressionSelect<PatternBlock>
}

/** Beside letters outside ASCII, a text may match though it does not contain the letters that are given. */
function mayMatch(mandatory: string | null): SQL {
  return mandatory === null
    ? sql`value IS NOT NULL`
    : sql`(instr(lower(value), ${mandatory}) > 0 OR octet_length(value) <> length(value))`
}

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
