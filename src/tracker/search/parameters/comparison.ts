import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  type FieldCondition,
  UNKNOWN,
} from '../expression.ts'
import { kindOfOperator, needsValue, type Operator, positiveForm } from '../operators.ts'
import { assertOperatorFits } from '../require.ts'
import type { SearchField } from '../search-fields.ts'

/** What a parameter or a row asks, before it is known whether it asks anything. */
export type Comparison = {
  readonly field: SearchField
  readonly operator: Operator
  /** Trimmed; for `anyexact` the elements, for other operators each value of the parameter. */
  readonly values: readonly string[]
  readonly source: string
}

/**
 * The expression of a comparison; null when it has nothing to compare with. Of several values any
 * has to match, and none may where the operator is negative; word operators take the words of all
 * values.
 */
export function parseComparison({
  field,
  operator,
  values,
  source,
}: Comparison): Expression | null {
  const conditionOf = (texts: readonly string[]): FieldCondition => {
    assertOperatorFits(field, operator, source)
    return { kind: 'condition', field: field.name, operator, values: texts, source }
  }
  if (!needsValue(operator)) {
    return conditionOf([])
  }
  switch (kindOfOperator(operator)) {
    case 'list': {
      const condition = conditionOf(values)
      return values.length === 0 ? UNKNOWN : condition
    }
    case 'words': {
      const text = values.join(',')
      return /[^\s,]/.test(text) ? conditionOf([text]) : null
    }
    case 'text':
    case 'pattern':
    case 'order':
    case 'presence':
    case 'account':
    case 'change':
    case 'fulltext': {
      const conditions = values.map((value) => conditionOf([value]))
      const join = positiveForm(operator).isNegated ? allOfExpressions : anyOfExpressions
      return conditions.length === 0 ? null : join(conditions)
    }
  }
}

/** The elements of a list in one text. */
export function splitAt(separator: ',' | RegExp, values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(separator))
    .map((element) => element.trim())
    .filter((element) => element !== '')
}

/** The values of a row or of a people block: a list in one text is split, several values are the list. */
export function rowValues(operator: Operator, values: readonly string[]): readonly string[] {
  return kindOfOperator(operator) === 'list' && values.length === 1 ? splitAt(',', values) : values
}
