import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { sql } from '../../../../platform/db/sql.ts'
import { fault } from '../../../../platform/faults/fault.ts'
import {
  allConditions,
  notCondition,
  ROW,
  type SearchCondition,
  type TestCost,
  testedCondition,
  UNKNOWN_CONDITION,
} from '../../condition.ts'
import type { Expression, FieldCondition } from '../../expression.ts'
import { searchInvalid } from '../../faults.ts'
import type { CompileContext } from '../compile-context.ts'
import {
  commentTermCondition,
  countTerms,
  everyTermCondition,
  someTermCondition,
} from './content-conditions.ts'
import { type ContentTerm, type ContentTerms, parseContent } from './content-terms.ts'

const MAX_TERMS = 100
/** Required terms that an index looks up; the others are tested on what these leave. */
const MAX_INDEXED = 3
/**
 * Terms of a whole search that count for the order: each is looked up once, and is a part of the
 * statement.
 */
const MAX_COUNTED = 10

/**
 * The condition of `content`: no excluded term occurs, and all required ones, or without these some other one.
 * Each may be in the summary or in any visible comment. Fault 32000 for more than 100 words.
 * Reference: search.md, "Words in summary and comments".
 */
export function compileContent(
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const terms = termsOf(condition)
  const { required, optional, excluded } = terms
  if (required.length + optional.length + excluded.length === 0) {
    return UNKNOWN_CONDITION
  }
  return compileTerms(terms, context, costOf(condition))
}

/** The condition that a word of `content`, which is looked for in summaries beside, is in a visible comment. */
export function compileCommentWords(
  condition: FieldCondition,
  { caller }: CompileContext,
): SearchCondition {
  const [term] = termsOf(condition).optional
  return term === undefined
    ? UNKNOWN_CONDITION
    : commentTermCondition(term, caller, costOf(condition))
}

/**
 * The score of a bug for `order=relevance`, the higher the better: how many of the words that need not occur
 * do, then the last change. Null for a search without words. Reference: search.md, "Order".
 */
export function relevanceOrder(expression: Expression, { caller }: CompileContext): SQL | null {
  const conditions = soughtContents(expression)
  if (conditions.length === 0) {
    return null
  }
  const terms = conditions
    .map((condition) => termsOf(condition).optional)
    // one alone is in every hit
    .filter((optional) => optional.length > 1)
    .flat()
  const counted = [...new Map(terms.map((term) => [term.query, term])).values()]
  const score = counted.length === 0 ? sql`0` : countTerms(counted.slice(0, MAX_COUNTED), caller)
  return sql`${score} * 100000000000 + ${bugs.changedAt}`
}

function termsOf({ values, source }: FieldCondition): ContentTerms {
  const terms = parseContent(values.join(' '))
  const count = terms.required.length + terms.optional.length + terms.excluded.length
  if (count > MAX_TERMS) {
    const reason = `has ${count} words, and may have at most ${MAX_TERMS}`
    throw fault(searchInvalid, { source, reason })
  }
  return terms
}

function compileTerms(
  { required, optional, excluded }: ContentTerms,
  { caller }: CompileContext,
  cost: TestCost,
): SearchCondition {
  if (required.length + optional.length === 0) {
    return testedCondition(sql`0`, ROW)
  }
  const [indexed, others] = splitRequired(required)
  return allConditions([
    ...(required.length > 0
      ? indexed.map((term) => someTermCondition([term], caller, cost))
      : [someTermCondition(optional, caller, cost)]),
    ...(others.length === 0 ? [] : [everyTermCondition(others, caller, cost)]),
    ...(excluded.length === 0 ? [] : [notCondition(someTermCondition(excluded, caller, cost))]),
  ])
}

function costOf({ source }: FieldCondition): TestCost {
  return { looksAt: 'texts', source }
}

/** The terms with the longest words leave the fewest bugs, as a rule. */
function splitRequired(required: readonly ContentTerm[]): [ContentTerm[], ContentTerm[]] {
  const sorted = required.toSorted((a, b) => (b.trigrams?.length ?? 0) - (a.trigrams?.length ?? 0))
  return [sorted.slice(0, MAX_INDEXED), sorted.slice(MAX_INDEXED)]
}

/** The conditions on words that bugs are found by. */
function soughtContents(expression: Expression): FieldCondition[] {
  switch (expression.kind) {
    case 'condition':
      return expression.operator === 'matches' ? [expression] : []
    case 'all':
    case 'any':
      return expression.members.flatMap(soughtContents)
    default:
      return []
  }
}
