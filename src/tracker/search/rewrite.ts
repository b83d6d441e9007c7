import { fold } from '../../platform/lib/text.ts'
import { countPhrases, parseContent, shortenPhrases } from './compile/content/content-terms.ts'
import { wordsOf } from './compile/value-test.ts'
import type { ParseContext } from './context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  conditionsOf,
  type Expression,
  type FieldCondition,
  mapConditions,
  mapMembers,
  negate,
  type PositiveCondition,
  type PositiveExpression,
  UNKNOWN,
} from './expression.ts'
import { kindOfOperator, type PositiveOperator, positiveForm } from './operators.ts'
import { findSearchField } from './search-fields.ts'

/** Passes that spare the compiler special cases: each makes an expression that finds the same bugs. */
export function rewrite(expression: Expression, context: ParseContext): PositiveExpression {
  const passes = [separateWords, cutPhrases, leaveSummaries]
  return passes.reduce((rewritten, pass) => pass(rewritten, context), separateNegations(expression))
}

/** Every condition on the text of comments is one on first comments, as `longdesc_initial` asks; changes stay. */
export function limitToFirstComments(expression: Expression): Expression {
  const limit = (condition: FieldCondition): FieldCondition =>
    condition.field === 'longdesc' && kindOfOperator(condition.operator) !== 'change'
      ? { ...condition, field: 'first_comment' }
      : condition
  return mapConditions(expression, limit, (member) => ({
    ...member,
    condition: limit(member.condition),
  }))
}

/** An operator that negates another one is that one in a negation. */
export function separateNegations(expression: Expression): PositiveExpression {
  return mapConditions(
    expression,
    (condition) => {
      const { positive, isNegated } = positiveForm(condition.operator)
      const changed = withOperator(condition, positive)
      return isNegated ? negate(changed) : changed
    },
    ({ condition, isNegated }) => {
      const form = positiveForm(condition.operator)
      const changed = withOperator(condition, form.positive)
      return { condition: changed, isNegated: form.isNegated !== isNegated }
    },
  )
}

/** The condition itself where it has the operator already: the values that match its pattern are known by it. */
function withOperator(
  condition: FieldCondition,
  operator: PositiveOperator,
): FieldCondition<PositiveOperator> {
  return condition.operator === operator
    ? (condition as FieldCondition<PositiveOperator>)
    : { ...condition, operator }
}

/** Of the words that a set has to have, each may be in another row. */
export function separateWords(
  expression: PositiveExpression,
  { configuration, caller }: ParseContext,
): PositiveExpression {
  const separate = (condition: PositiveCondition): PositiveExpression => {
    const { field, operator, values } = condition
    const hasAll = operator === 'allwords' || operator === 'allwordssubstr'
    if (!hasAll || findSearchField(field, configuration, caller)?.family !== 'set') {
      return condition
    }
    const words = wordsOf(values).map((word) => ({ ...condition, values: [word] }))
    return words.length === 0 ? UNKNOWN : allOfExpressions(words)
  }
  return mapConditions(expression, separate, (member) => member)
}

/** Words of all phrases of a search. */
const MAX_WORDS = 4
/** Words of each, however many there are. */
const MIN_WORDS = 2

/** Of long phrases, or of many, the longest words that stand side by side are looked for. */
export function cutPhrases(expression: PositiveExpression): PositiveExpression {
  const phrases = conditionsOf(expression).reduce((sum, each) => sum + countPhrasesOf(each), 0)
  if (phrases === 0) {
    return expression
  }
  const most = Math.max(MIN_WORDS, Math.floor(MAX_WORDS / phrases))
  return mapConditions(
    expression,
    (condition) =>
      isContent(condition)
        ? { ...condition, values: [shortenPhrases(condition.values.join(' '), most)] }
        : condition,
    (member) => member,
  )
}

/** The phrases that a condition looks for in comments. */
export function countPhrasesOf(condition: FieldCondition): number {
  return isContent(condition) ? countPhrases(condition.values.join(' ')) : 0
}

function isContent({ operator }: FieldCondition): boolean {
  return kindOfOperator(operator) === 'fulltext'
}

/** A single word that is looked for in summaries beside is looked for in comments alone. */
export function leaveSummaries(expression: PositiveExpression): PositiveExpression {
  if (expression.kind !== 'any') {
    return mapMembers(expression, leaveSummaries)
  }
  const { members } = expression
  return anyOfExpressions(
    members.map((member) =>
      member.kind === 'condition' && isFoundBeside(member, members)
        ? { ...member, field: 'comment_words' }
        : leaveSummaries(member),
    ),
  )
}

function isFoundBeside(
  { field, values }: FieldCondition,
  beside: readonly PositiveExpression[],
): boolean {
  const value = values.join(' ')
  if (field !== 'content' || !/^"[^"]*"$/.test(value)) {
    return false
  }
  const [term, ...others] = parseContent(value).optional
  const [word, ...more] = term?.words ?? []
  return (
    others.length === 0 &&
    more.length === 0 &&
    beside.some(
      (other) =>
        other.kind === 'condition' &&
        other.field === 'short_desc' &&
        other.operator === 'substring' &&
        fold(other.values[0] ?? '') === word,
    )
  )
}
