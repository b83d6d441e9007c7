import { fold } from '../../platform/lib/text.ts'
import { parseContent } from './compile/content/content-terms.ts'
import { wordsOf } from './compile/value-test.ts'
import type { ParseContext } from './context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  type FieldCondition,
  membersOf,
  negate,
  type PositiveExpression,
  type RowCondition,
  UNKNOWN,
} from './expression.ts'
import { kindOf, type Operator, type PositiveOperator, positiveForm } from './operators.ts'
import { findSearchField } from './search-fields.ts'

/** The search with what the compiler need not know of: each pass makes an expression that finds the same bugs. */
export function rewrite(expression: Expression, context: ParseContext): PositiveExpression {
  const separated = separateNegations(expression)
  const passes = [separateWords, leaveSummaries, flatten]
  return passes.reduce((rewritten, pass) => pass(rewritten, context), separated)
}

/** Every condition on the text of comments is one on first comments, as `longdesc_initial` asks; changes stay. */
export function limitToFirstComments(expression: Expression): Expression {
  const limit = (condition: FieldCondition): FieldCondition =>
    condition.field === 'longdesc' && kindOf(condition.operator) !== 'change'
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
      return isNegated
        ? negate({ ...condition, operator: positive })
        : withOperator(condition, positive)
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
  const separate = (condition: FieldCondition<PositiveOperator>): PositiveExpression => {
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

/** A single word that is looked for in summaries beside is looked for in comments alone. */
export function leaveSummaries(expression: PositiveExpression): PositiveExpression {
  switch (expression.kind) {
    case 'any':
      return anyOfExpressions(
        expression.members.map((member) =>
          member.kind === 'condition' && isFoundBeside(member, expression.members)
            ? { ...member, field: 'comment_words' }
            : leaveSummaries(member),
        ),
      )
    case 'all':
      return allOfExpressions(expression.members.map(leaveSummaries))
    case 'not':
      return negate(leaveSummaries(expression.member))
    case 'condition':
    case 'sameRow':
    case 'unknown':
      return expression
  }
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

/** Members of a member stand beside it where both mean all, or both mean any. */
export function flatten(expression: PositiveExpression): PositiveExpression {
  switch (expression.kind) {
    case 'all':
      return allOfExpressions(expression.members.flatMap((member) => membersOf(flatten(member))))
    case 'any':
      return anyOfExpressions(
        expression.members.flatMap((member) => {
          const flat = flatten(member)
          return flat.kind === 'any' ? flat.members : [flat]
        }),
      )
    case 'not':
      return negate(flatten(expression.member))
    case 'condition':
    case 'sameRow':
    case 'unknown':
      return expression
  }
}

/** The expression with others in the places of its conditions. */
function mapConditions<From extends Operator, To extends Operator>(
  expression: Expression<From>,
  change: (condition: FieldCondition<From>) => Expression<To>,
  changeInRow: (member: RowCondition<From>) => RowCondition<To>,
): Expression<To> {
  switch (expression.kind) {
    case 'condition':
      return change(expression)
    case 'sameRow':
      return { kind: 'sameRow', members: expression.members.map(changeInRow) }
    case 'not':
      return negate(mapConditions(expression.member, change, changeInRow))
    case 'all':
    case 'any': {
      const members = expression.members.map((each) => mapConditions(each, change, changeInRow))
      return { kind: expression.kind, members }
    }
    case 'unknown':
      return expression
  }
}
