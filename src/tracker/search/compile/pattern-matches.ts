import type { SQL } from 'drizzle-orm'
import { readBatch } from '../../../platform/db/read-batch.ts'
import type { SessionHolder } from '../../../platform/db/session.ts'
import { jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { compilePattern, type Pattern, type PatternLimits } from '../../../platform/lib/pattern.ts'
import type { SearchCondition } from '../condition.ts'
import { conditionsOf, type FieldCondition, type PositiveExpression } from '../expression.ts'
import { searchInvalid, searchTooSlow } from '../faults.ts'
import { kindOf } from '../operators.ts'
import { runInScanTurn } from '../scan-turns.ts'
import { compileExpression } from './compile.ts'
import type { CompileContext } from './compile-context.ts'
import { findMandatoryText } from './mandatory-text.ts'
import {
  BLOCK_ROWS,
  type PatternValue,
  type PatternValues,
  patternValues,
  selectBlock,
} from './pattern-matches-values.ts'

const LIMITS: PatternLimits = { length: 256, size: 2000 }

/** What one search may spend; the clock of a Worker stands still meanwhile, so that work is counted. */
const MAX_PATTERNS = 20
const MAX_VALUES = 50_000
const MAX_BLOCKS = 100
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
 * Finds which values match the regular expressions of a search, for `patternMatches` of its context: D1 has
 * none, so that values are read in blocks and compared here. Makes no round trip for a search without them.
 * Invalid expressions are left out. Fault 1001 when there is too much to compare.
 * Reference: search.md, "Regular expressions".
 */
export async function findPatternMatches(
  ctx: SessionHolder,
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
    const reading = await startReading(sought, context)
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
  { condition, beside }: Sought,
  context: CompileContext,
): Promise<Reading | null> {
  const source = condition.values[0] ?? ''
  const pattern = await compilePattern(source, LIMITS)
  if (pattern === null) {
    return null
  }
  const mandatory = findMandatoryText(source)
  const compiled = beside.map((member) => compileExpression(member, context)).filter(isCheap)
  const values = patternValues(condition, compiled, mandatory, context)
  return values && { condition, pattern, mandatory, values, matches: [], behind: null }
}

function isCheap({ cost, access }: SearchCondition): boolean {
  return cost.looksAt !== 'texts' || access !== undefined
}

/** Reads the values of all conditions, a block of several of them in each round trip. */
async function readAll(ctx: SessionHolder, readings: readonly Reading[]): Promise<void> {
  const budget = { values: MAX_VALUES, blocks: MAX_BLOCKS, characters: MAX_CHARACTERS }
  let open = readings
  while (open.length > 0) {
    const next = open.slice(0, CONCURRENT)
    const statements = next.map(({ values, behind, mandatory }, n) => [
      n,
      selectBlock(values, behind, mandatory),
    ])
    const done = await runInScanTurn(async () => {
      const blocks = await readBatch(ctx, Object.fromEntries(statements))
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
