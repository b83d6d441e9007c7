import type { SQL } from 'drizzle-orm'
import { visibleBugCondition } from '../../../platform/access/visibility.ts'
import { type ExpressionSelect, readBatch, selectOf } from '../../../platform/db/read-batch.ts'
import { SelectTooLarge } from '../../../platform/db/read-limit.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, allOf, jsonList, limitTo, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { compilePattern, type Pattern, type PatternLimits } from '../../../platform/lib/pattern.ts'
import { assertMayReadOn, type Reader, readList, runInScanTurn } from '../bounds.ts'
import {
  idsCondition,
  isFound,
  isListedInBulk,
  leadersOf,
  listedCondition,
  listOf,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import { conditionsOf, type FieldCondition, type PositiveExpression } from '../expression.ts'
import { searchInvalid, searchTooSlow } from '../faults.ts'
import { kindOf } from '../operators.ts'
import { planAll } from '../plan.ts'
import { tooLargeForStatement } from '../size.ts'
import { compileExpression, shapeOf } from './compile.ts'
import { findMandatoryText } from './mandatory-text.ts'
import { originalText } from './operand.ts'
import type { RowValues } from './row-values.ts'
import { indexedColumn, type SingleValue } from './single-value.ts'
import { loginOperand, type ValueSource } from './value-source.ts'

const LIMITS: PatternLimits = { length: 256, size: 2000 }

/** What one search may spend; the clock of a Worker stands still meanwhile, so that work is counted. */
const MAX_PATTERNS = 20
const MAX_VALUES = 50_000
const MAX_BLOCKS = 100
/** Rows of all blocks together: each finds anew which bugs its values may belong to. */
const MAX_ROWS = 1_500_000
/** Characters, each as often as a pattern has this many steps. */
const MAX_CHARACTERS = 64 * 1_048_576
const STEPS_OF_A_CHARACTER = 20
/** Conditions whose blocks share a round trip. */
const CONCURRENT = 4

/** A condition with a regular expression, and conditions that the bugs it is about fulfil. */
type Sought = { readonly condition: FieldCondition; readonly beside: readonly PositiveExpression[] }

/** The values of one condition while they are read. */
type Reading = {
  readonly condition: FieldCondition
  readonly pattern: Pattern
  readonly mandatory: string | null
  readonly values: PatternValues
  readonly matches: (number | string)[]
  behind: number | string | null
}

/**
 * Finds which values match the regular expressions of a search, for `patternMatches` of its
 * context: D1 has none, so that values are read in blocks and compared here. Makes no round trip
 * for a search without them. Invalid expressions are left out.
 */
export async function findPatternMatches(
  ctx: Reader,
  expression: PositiveExpression,
  context: CompileContext,
): Promise<ReadonlyMap<FieldCondition, (key: SQL) => SQL>> {
  const readings: Reading[] = []
  const patterns = findPatterns(expression, [])
  const [first] = patterns.slice(MAX_PATTERNS)
  if (first !== undefined) {
    throw fault(searchInvalid, {
      source: first.condition.source,
      reason: `is one regular expression too many; a search may have ${MAX_PATTERNS}`,
    })
  }
  for (const sought of patterns) {
    const reading = await startReading(ctx, sought, context)
    if (reading !== null) {
      readings.push(reading)
    }
  }
  await readAll(ctx, readings)
  return new Map(
    readings.map(({ condition, matches }) => {
      const list = jsonList(matches)
      return [condition, (key: SQL) => sql`${key} IN ${list}`]
    }),
  )
}

/**
 * The conditions with a regular expression. What stands beside one limits the bugs that it is about, except
 * within a negation, where an unknown condition beside it must not become false.
 */
function findPatterns(
  expression: PositiveExpression,
  beside: readonly PositiveExpression[],
): Sought[] {
  switch (expression.kind) {
    case 'condition':
    case 'sameRow':
    case 'not':
      return conditionsOf(expression)
        .filter(isPattern)
        .map((condition) => ({ condition, beside }))
    case 'any':
      return expression.members.flatMap((member) => findPatterns(member, beside))
    case 'all': {
      const others = expression.members.filter((member) => !conditionsOf(member).some(isPattern))
      return expression.members.flatMap((member) => findPatterns(member, [...beside, ...others]))
    }
    case 'unknown':
      return []
  }
}

function isPattern({ operator }: FieldCondition): boolean {
  return kindOf(operator) === 'pattern'
}

async function startReading(
  ctx: Reader,
  { condition, beside }: Sought,
  context: CompileContext,
): Promise<Reading | null> {
  const source = condition.values[0] ?? ''
  const pattern = await compilePattern(source, LIMITS)
  if (pattern === null) {
    return null
  }
  const mandatory = findMandatoryText(source)
  const shape = shapeOf(condition.field, context)
  if (shape === undefined || shape.shape === 'special') {
    return null
  }
  const access = mandatory === null ? undefined : shape.textCandidates?.('substring', [mandatory])
  const members = await narrow(ctx, [
    ...beside.map((member) => compileExpression(member, context)),
    ...(access === undefined ? [] : [listedCondition(listOf({ access }).select, SELECTIVITY.text)]),
  ])
  const values = patternValues(shape, members, context)
  return { condition, pattern, mandatory, values, matches: [], behind: null }
}

/**
 * Conditions that bugs with a match fulfil and that are fast to test in each block: what an index lists for one of the
 * given conditions is listed once, and left out where it is long.
 */
async function narrow(
  ctx: Reader,
  members: readonly SearchCondition[],
): Promise<readonly SearchCondition[]> {
  const named = members.filter((member) => selectivityOf(member) === SELECTIVITY.named)
  if (named.length > 0) {
    return named
  }
  const isListed = (member: SearchCondition) => isFound(member) && isListedInBulk(member)
  const fast = members.filter(
    (member) => !isListed(member) && ['row', 'rows'].includes(member.cost.looksAt),
  )
  const [leader] = leadersOf(members.filter(isListed))
  const ids = leader && (await readList(ctx, listOf(leader).select))
  return typeof ids === 'string' ? [idsCondition(JSON.parse(ids)), ...fast] : fast
}

/** Reads the values of all conditions, a block of several of them in each round trip. */
async function readAll(ctx: Reader, readings: readonly Reading[]): Promise<void> {
  const budget = { values: MAX_VALUES, blocks: MAX_BLOCKS, characters: MAX_CHARACTERS }
  const most = ctx.session.cost.rowsRead + MAX_ROWS
  let open = readings
  while (open.length > 0) {
    assertMayReadOn(ctx, most, open[0]?.condition.source ?? 'it')
    const next = open.slice(0, CONCURRENT)
    const statements = next.map(({ values, behind, mandatory }, n) => [
      n,
      selectBlock(values, behind, mandatory),
    ])
    const done = await runInScanTurn(async () => {
      const blocks = await readBatch(ctx, Object.fromEntries(statements)).catch((error) => {
        throw error instanceof SelectTooLarge ? tooLargeForStatement() : error
      })
      return next.filter((reading, n) => compareBlock(reading, blocks[n] ?? [], budget))
    })
    open = open.filter((reading) => !done.includes(reading))
  }
}

/** Whether the block was the last one. */
function compareBlock(
  reading: Reading,
  block: readonly PatternValue[],
  budget: { values: number; blocks: number; characters: number },
): boolean {
  const { condition, pattern, matches } = reading
  const cost = Math.max(1, pattern.size / STEPS_OF_A_CHARACTER)
  budget.blocks -= 1
  for (const { key, value } of block) {
    reading.behind = key
    if (value !== null) {
      budget.values -= 1
      budget.characters -= value.length * cost
      if (budget.values < 0 || budget.characters < 0) {
        throw fault(searchTooSlow, { source: condition.source })
      }
      if (pattern.matches(value)) {
        matches.push(key)
      }
    }
  }
  const size = block[0]?.size ?? 0
  const isLast = size < BLOCK_ROWS && block.length === size
  if (!isLast && budget.blocks <= 0) {
    throw fault(searchTooSlow, { source: condition.source })
  }
  return isLast
}

const u = aliasColumns(users, 'u')

/** The values that a regular expression is compared with: where they are, and what identifies one. */
type PatternValues = {
  readonly from: SQL
  readonly key: SQL
  readonly value: SQL
  readonly condition: SQL
}

/** A value; null where a text is missing that every match contains. */
type PatternValue = {
  readonly key: number | string
  readonly value: string | null
  /** The number of values from which those of a block were taken. */
  readonly size: number
}

/** Rows of one block, and about how many bytes they may have: the last one may have more. */
const BLOCK_ROWS = 2000
const BLOCK_BYTES = 1_000_000

/** The values of a field: those that belong to bugs only of visible bugs for which all conditions hold. */
function patternValues(
  shape: SingleValue | RowValues,
  all: readonly SearchCondition[],
  context: CompileContext,
): PatternValues {
  if (shape.shape === 'single') {
    const source = shape.source(indexedColumn)
    return valuesOf(source, sql`bugs`, bugsCondition(all, context), context)
  }
  const [leader] = leadersOf(all)
  // a plus keeps SQLite from looking up the rows of many bugs one by one
  const plus = sql.raw(
    (leader === undefined ? SELECTIVITY.many : selectivityOf(leader)) < SELECTIVITY.product
      ? ''
      : '+',
  )
  const ofBugs = sql`${plus}${shape.bugId} IN (SELECT ${bugs.id} FROM bugs WHERE ${bugsCondition(all, context)})`
  return valuesOf(shape.source, shape.from, allOf([shape.visible ?? sql`1`, ofBugs]), context)
}

function bugsCondition(members: readonly SearchCondition[], { caller }: CompileContext): SQL {
  return allOf([planAll(members).condition, visibleBugCondition(caller)])
}

function valuesOf(
  source: ValueSource,
  from: SQL,
  condition: SQL,
  context: CompileContext,
): PatternValues {
  switch (source.kind) {
    case 'own': {
      const text = originalText(source.operand)
      return { from, key: source.key, value: source.within?.(text) ?? text, condition }
    }
    case 'named': {
      const { id, key, operand, where } = source
      return {
        from: source.from,
        key: key ?? id,
        value: originalText(operand),
        condition: where ?? sql`1`,
      }
    }
    case 'person': {
      const value = originalText(loginOperand('regexp', context))
      return { from: sql`users u`, key: u.id, value, condition: sql`1` }
    }
  }
}

/** Selects the next values in the order of their keys; an empty block is behind the last one. */
function selectBlock(
  { from, key, value, condition }: PatternValues,
  behind: number | string | null,
  mandatory: string | null,
): ExpressionSelect<PatternValue> {
  const isBehind = behind === null ? sql`1` : sql`${key} > ${behind}`
  return selectOf(
    {
      key: sql<number | string>`key`,
      value: hasText(mandatory),
      size: sql<number>`rows_found`,
    },
    sql`FROM (
      SELECT key, value, count(*) OVER () AS rows_found,
        sum(octet_length(value)) OVER (ORDER BY key) - octet_length(value) AS bytes_ahead
      FROM (SELECT DISTINCT ${key} AS key, coalesce(${value}, '') AS value FROM ${from}
        WHERE ${isBehind} AND ${condition} ORDER BY ${key} ${limitTo(BLOCK_ROWS)}))
      WHERE bytes_ahead < ${BLOCK_BYTES} ORDER BY key`,
  )
}

/** Beside letters outside ASCII, a text may match though it does not contain the letters that are given. */
function hasText(mandatory: string | null): SQL<string | null> {
  return mandatory === null
    ? sql`value`
    : sql`CASE WHEN instr(lower(value), ${mandatory}) > 0 OR octet_length(value) <> length(value) THEN value END`
}
