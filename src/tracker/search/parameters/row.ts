import { type Expression, negate } from '../expression.ts'
import { requireOperator } from '../operator-support.ts'
import { needsValue, type Operator } from '../operators.ts'
import type { ParseContext } from '../parse-context.ts'
import { requireSearchField } from '../require-search-field.ts'
import type { SearchField } from '../search-fields.ts'
import { parseComparison, rowValues } from './comparison.ts'
import { firstText, type GivenParameters, textsOf } from './given.ts'

/** A row of the custom search or a cell of a classic chart. */
export type Row = {
  readonly kind: 'row'
  readonly field: SearchField
  readonly operator: Operator
  /** Without the negation of the row. */
  readonly expression: Expression
  readonly isNegated: boolean
  readonly source: string
}

/** The parameters that make up a row. */
type RowNames = { readonly field: string; readonly operator: string; readonly value: string }

/**
 * What the screen sends for a field or an operator that is not chosen, and votes, which there are none of
 * here.
 */
const NOT_CHOSEN = ['', 'noop', 'votes']

/**
 * The row of these parameters; null when it lacks its field, operator or value. Faults: 108, 304 and 32000
 * as for `requireSearchField` and `requireOperator`. Reference: search.md, "Custom search".
 */
export function parseRow(
  given: GivenParameters,
  names: RowNames,
  isNegated: boolean,
  context: ParseContext,
): Row | null {
  const [name, operatorName] = [firstText(given, names.field), firstText(given, names.operator)]
  if (NOT_CHOSEN.includes(name) || NOT_CHOSEN.includes(operatorName)) {
    return null
  }
  const texts = textsOf(given, names.value)
  const operator = requireOperator(operatorName, names.operator)
  if (texts.length === 0 && needsValue(operator)) {
    return null
  }
  const field = requireSearchField(name, names.field, context)
  const values = rowValues(operator, texts)
  const expression = parseComparison({ field, operator, values, source: names.field })
  return expression === null
    ? null
    : { kind: 'row', field, operator, expression, isNegated, source: names.field }
}

export function rowExpression({ expression, isNegated }: Row): Expression {
  return isNegated ? negate(expression) : expression
}
