import { allOfExpressions, anyOfExpressions, type Expression, negate } from '../expression.ts'
import type { ParseContext } from '../parse-context.ts'
import { findNumbered, type GivenParameters, isOn } from './given.ts'
import { parseRow } from './row.ts'

/**
 * The expressions of the classic charts: the cells `field0-0-0` of one row are alternatives, all rows of a
 * chart have to match, and `negate0` negates the chart. Faults as for `parseRow`.
 * Reference: search.md, "Classic charts".
 */
export function parseCharts(given: GivenParameters, context: ParseContext): Expression[] {
  const charts = new Map<number, Map<number, Expression[]>>()
  for (const { end, numbers } of findNumbered(given, /^field(\d{1,9}-\d{1,9}-\d{1,9})$/)) {
    const [chart = 0, row = 0] = numbers
    const names = { field: `field${end}`, operator: `type${end}`, value: `value${end}` }
    const cell = parseRow(given, names, false, context)
    if (cell !== null) {
      const rows = charts.get(chart) ?? new Map<number, Expression[]>()
      charts.set(chart, rows.set(row, [...(rows.get(row) ?? []), cell.expression]))
    }
  }
  return [...charts].map(([chart, rows]) => {
    const expression = allOfExpressions([...rows.values()].map(anyOfExpressions))
    return isOn(given, `negate${chart}`) ? negate(expression) : expression
  })
}
