import type { Operator, PositiveOperator } from './operators.ts'

/**
 * A search as a tree: parameters, custom search and quicksearch are parsed into it, and it is compiled into
 * one SQL condition.
 */
export type Expression<O extends Operator = Operator> =
  | AllOf<O>
  | AnyOf<O>
  | Negation<O>
  | SameRow<O>
  | FieldCondition<O>
  | Unknown

/** A search without operators that are the negation of others. */
export type PositiveExpression = Expression<PositiveOperator>

/** A condition with such an operator. */
export type PositiveCondition = FieldCondition<PositiveOperator>

/** Every member holds; true without members. */
type AllOf<O extends Operator = Operator> = {
  readonly kind: 'all'
  readonly members: readonly Expression<O>[]
}

/** Some member holds; false without members. */
type AnyOf<O extends Operator = Operator> = {
  readonly kind: 'any'
  readonly members: readonly Expression<O>[]
}

type Negation<O extends Operator = Operator> = {
  readonly kind: 'not'
  readonly member: Expression<O>
}

/** All conditions hold for the same row of a field, such as one comment, flag or change. */
export type SameRow<O extends Operator = Operator> = {
  readonly kind: 'sameRow'
  readonly members: readonly RowCondition<O>[]
}

/** A condition of a `sameRow`; `isNegated` negates it within the row. */
export type RowCondition<O extends Operator = Operator> = {
  readonly condition: FieldCondition<O>
  readonly isNegated: boolean
}

/** One comparison of a field with values. */
export type FieldCondition<O extends Operator = Operator> = {
  readonly kind: 'condition'
  /** The internal search name, as `search-fields.ts` and the custom fields have them. */
  readonly field: string
  readonly operator: O
  /**
   * The text to compare with, trimmed; the elements of `anyexact`. Word operators split the text, and
   * operators without a value have none.
   */
  readonly values: readonly string[]
  /** The parameter or the part of the quicksearch that asks, for messages. */
  readonly source: string
}

/** Neither true nor false, as NULL in SQL: matches nothing, not even when it is negated. */
export type Unknown = { readonly kind: 'unknown' }

export const UNKNOWN: Unknown = { kind: 'unknown' }

/** Holds when all members do. */
export function allOfExpressions<O extends Operator>(
  members: readonly Expression<O>[],
): Expression<O> {
  return groupOf('all', members)
}

/** Holds when some member does. */
export function anyOfExpressions<O extends Operator>(
  members: readonly Expression<O>[],
): Expression<O> {
  return groupOf('any', members)
}

/** Members of a member of the same kind stand beside it; a single member is no group. */
function groupOf<O extends Operator>(
  kind: 'all' | 'any',
  members: readonly Expression<O>[],
): Expression<O> {
  const flat = members.flatMap((member) => (member.kind === kind ? member.members : [member]))
  const [only] = flat
  return only !== undefined && flat.length === 1 ? only : { kind, members: flat }
}

/** The logical negation; a double one is none. */
export function negate<O extends Operator>(member: Expression<O>): Expression<O> {
  return member.kind === 'not' ? member.member : { kind: 'not', member }
}

/** The expressions that hold side by side, so that any of them may lead a search. */
export function membersOf<O extends Operator>(expression: Expression<O>): readonly Expression<O>[] {
  return expression.kind === 'all' ? expression.members : [expression]
}

/** The expression with others in the places of its members. */
export function mapMembers<O extends Operator>(
  expression: Expression<O>,
  change: (member: Expression<O>) => Expression<O>,
): Expression<O> {
  switch (expression.kind) {
    case 'all':
    case 'any':
      return groupOf(expression.kind, expression.members.map(change))
    case 'not':
      return negate(change(expression.member))
    case 'condition':
    case 'sameRow':
    case 'unknown':
      return expression
  }
}

/** The expression with others in the places of its conditions. */
export function mapConditions<From extends Operator, To extends Operator>(
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
    case 'any':
      return groupOf(
        expression.kind,
        expression.members.map((each) => mapConditions(each, change, changeInRow)),
      )
    case 'unknown':
      return expression
  }
}

/** The conditions of a tree, from left to right. */
export function conditionsOf<O extends Operator>(expression: Expression<O>): FieldCondition<O>[] {
  switch (expression.kind) {
    case 'condition':
      return [expression]
    case 'sameRow':
      return expression.members.map(({ condition }) => condition)
    case 'not':
      return conditionsOf(expression.member)
    case 'all':
    case 'any':
      return expression.members.flatMap(conditionsOf)
    case 'unknown':
      return []
  }
}
