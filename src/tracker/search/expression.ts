import type { Operator } from './operators.ts'

/**
 * A search as a tree: what the parameters, the custom search and the quicksearch are parsed into, and what
 * is compiled into one SQL condition. Reference: search.md, "How criteria combine".
 */
export type Expression = AllOf | AnyOf | Negation | SameRow | FieldCondition | Unknown

/** Every member holds; true without members. */
export type AllOf = { readonly kind: 'all'; readonly members: readonly Expression[] }

/** Some member holds; false without members. */
export type AnyOf = { readonly kind: 'any'; readonly members: readonly Expression[] }

export type Negation = { readonly kind: 'not'; readonly member: Expression }

/** All conditions hold for one and the same row of a field, such as one comment, one flag or one change. */
export type SameRow = { readonly kind: 'sameRow'; readonly members: readonly RowCondition[] }

/** A condition of a `sameRow`; `isNegated` negates it within the row. */
export type RowCondition = { readonly condition: FieldCondition; readonly isNegated: boolean }

/** One comparison of a field with values. */
export type FieldCondition = {
  readonly kind: 'condition'
  /** The internal search name, as `search-fields.ts` and the custom fields have them. */
  readonly field: string
  readonly operator: Operator
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

/** An expression that holds when all members do; a single member stands for itself. */
export function allOfExpressions(members: readonly Expression[]): Expression {
  const [only] = members
  return only !== undefined && members.length === 1 ? only : { kind: 'all', members }
}

/** An expression that holds when some member does; a single member stands for itself. */
export function anyOfExpressions(members: readonly Expression[]): Expression {
  const [only] = members
  return only !== undefined && members.length === 1 ? only : { kind: 'any', members }
}

/** The logical negation; a double one is none. */
export function negate(member: Expression): Expression {
  return member.kind === 'not' ? member.member : { kind: 'not', member }
}

/** The expressions that hold side by side, so that any of them may lead a search. */
export function membersOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'all' ? expression.members.flatMap(membersOf) : [expression]
}

/** The conditions of a tree, from left to right. */
export function conditionsOf(expression: Expression): FieldCondition[] {
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
