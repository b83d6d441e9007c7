import type { SQL } from 'drizzle-orm'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { compilePattern, type Pattern, type PatternLimits } from '../../../platform/lib/pattern.ts'
import { assertMayReadOn, type Reader, readLists, runInScanTurn } from '../bounds.ts'
import type { CompileContext, PatternMatches } from '../context.ts'
import { conditionsOf, type FieldCondition, type PositiveExpression } from '../expression.ts'
import { searchInvalid, searchTooSlow } from '../faults.ts'
import { kindOfOperator } from '../operators.ts'
import { refuseTooLarge } from '../size.ts'
import { compileExpression, shapeOf } from './compile.ts'
import {
  bugsOf,
  findMandatoryText,
  type PatternBlock,
  type PatternValues,
  patternValues,
  selectBlock,
} from './pattern-values.ts'

const LIMITS: PatternLimits = { length: 256, size: 2000 }

/** What one search may spend; the clock of a Worker stands still meanwhile, so that work is counted. */
const MAX_PATTERNS = 20
const MAX_VALUES = 50_000
const MAX_BLOCKS = 100
/** Rows of all blocks together. */
const MAX_ROWS = 800_000
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
  /** A text that every match contains. */
  readonly mandatory: string | null
  readonly values: PatternValues
  readonly matches: (number | string)[]
  /** The bugs whose values are left, a part of them for each block; null for a walk through all values. */
  readonly parts: (readonly number[] | null)[]
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
): Promise<ReadonlyMap<FieldCondition, PatternMatches>> {
  const patterns = findPatterns(expression, [])
  const [first] = patterns.slice(MAX_PATTERNS)
  if (first !== undefined) {
    throw fault(searchInvalid, {
      source: first.condition.source,
      reason: `is one regular expression too many; a search may have ${MAX_PATTERNS}`,
    })
  }
  const plans: PlannedReading[] = []
  for (const sought of patterns) {
    plans.push(...(await planReading(sought, context)))
  }
  const readings = await startReadings(ctx, plans)
  await readAll(ctx, readings)
  return new Map(
    readings.map(({ condition, pattern, matches }) => {
      const list = jsonList(matches)
      const test = (key: SQL) => sql`${key} IN ${list}`
      return [condition, { test, hasEmpty: pattern.matches('') }]
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
  return kindOfOperator(operator) === 'pattern'
}

type PlannedReading = Pick<Reading, 'condition' | 'pattern' | 'mandatory' | 'values'> & {
  /** Selects the bugs whose values are read; all are where it is absent, or finds too many. */
  readonly bugs: SQL | undefined
  /** Bugs of which a block reads the values. */
  readonly size: number
}

/** Empty where nothing can match. */
async function planReading(
  { condition, beside }: Sought,
  context: CompileContext,
): Promise<PlannedReading[]> {
  const source = condition.values[0] ?? ''
  const pattern = await compilePattern(source, LIMITS)
  const shape = shapeOf(condition.field, context)
  if (pattern === null || shape === undefined || shape.shape === 'special') {
    return []
  }
  const mandatory = findMandatoryText(source)
  const members = beside.map((member) => compileExpression(member, context))
  const values = patternValues(shape, members, context)
  return [{ condition, pattern, mandatory, values, ...bugsOf(shape, members, mandatory) }]
}

async function startReadings(ctx: Reader, plans: readonly PlannedReading[]): Promise<Reading[]> {
  const lists = await readLists(
    ctx,
    plans.map((plan) => plan.bugs),
  )
  return plans.map(({ bugs: _, size, ...plan }, n) => {
    const ids = lists[n]
    const parts = ids ? partsOf(ids, size) : [null]
    return { ...plan, matches: [], parts, behind: null }
  })
}

function partsOf(ids: readonly number[], size: number): (readonly number[])[] {
  const sorted = ids.toSorted((a, b) => a - b)
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, n) =>
    sorted.slice(n * size, (n + 1) * size),
  )
}

/** Reads the values of all conditions, a block of several of them in each round trip. */
async function readAll(ctx: Reader, readings: readonly Reading[]): Promise<void> {
  const budget = { values: MAX_VALUES, blocks: MAX_BLOCKS, characters: MAX_CHARACTERS }
  const most = ctx.session.cost.rowsRead + MAX_ROWS
  const isOpen = ({ parts }: Reading) => parts.length > 0
  for (let open = readings.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
    assertMayReadOn(ctx, most, open[0]?.condition.source ?? 'it')
    const next = open.slice(0, CONCURRENT)
    const statements = next.map(({ values, parts: [part = null], behind, mandatory }, n) => [
      n,
      selectBlock(values, { part, behind, mandatory }),
    ])
    await runInScanTurn(ctx, async () => {
      const blocks = await readBatch(ctx, Object.fromEntries(statements)).catch(refuseTooLarge)
      for (const [n, reading] of next.entries()) {
        compareBlock(reading, blocks[n]?.[0], budget)
      }
    })
  }
}

/** Compares the values of a block, and goes on behind it. */
function compareBlock(
  reading: Reading,
  block: PatternBlock | undefined,
  budget: { values: number; blocks: number; characters: number },
): void {
  const { condition, pattern, matches, parts } = reading
  const cost = Math.max(1, pattern.size / STEPS_OF_A_CHARACTER)
  const found: [number | string, string][] = JSON.parse(block?.found ?? '[]')
  for (const [key, value] of found) {
    budget.values -= 1
    budget.characters -= value.length * cost
    if (budget.values < 0 || budget.characters < 0) {
      throw fault(searchTooSlow, { source: condition.source })
    }
    if (pattern.matches(value)) {
      matches.push(key)
    }
  }
  reading.behind = block?.next ?? null
  if (reading.behind === null) {
    parts.shift()
  }
  budget.blocks -= 1
  if (parts.length > 0 && budget.blocks <= 0) {
    throw fault(searchTooSlow, { source: condition.source })
  }
}
