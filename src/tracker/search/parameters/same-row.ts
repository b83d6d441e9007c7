import { fault } from '../../../platform/faults/fault.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  type RowCondition,
  UNKNOWN,
} from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import { kindOf, positiveForm } from '../operators.ts'
import type { SearchField } from '../search-fields.ts'
import { MOST_CONDITIONS } from '../search-size.ts'
import { type Row, rowExpression } from './row.ts'

/** Conditions that hold together. */
type Conjunction = readonly RowCondition[]

/**
 * The expression of a group that `AND_G` joins: one row of its field meets all value tests, and one change
 * of the field meets all history tests. Fault 32000 for rows of several fields.
 * Reference: search.md, "Custom search".
 */
export function parseSameRow(rows: readonly Row[], source: string): Expression {
  const [first] = rows
  const other = rows.find(({ field }) => field.name !== first?.field.name)
  if (first === undefined || other !== undefined) {
    throw fault(searchInvalid, {
      source,
      reason: `is AND_G, whose rows all name one field; ${other?.source} names another one`,
    })
  }
  const changes = rows.filter(({ operator }) => kindOf(operator) === 'change')
  const values = rows.filter(({ operator }) => kindOf(operator) !== 'change')
  return allOfExpressions([
    ...(changes.length === 0 ? [] : [joinRows(changes, hasManyChanges(first.field), source)]),
    ...(values.length === 0 ? [] : [joinRows(values, hasManyRows(first.field), source)]),
  ])
}

/** A bug is filed once. */
function hasManyChanges({ name }: SearchField): boolean {
  return name !== 'creation_ts'
}

function hasManyRows({ family }: SearchField): boolean {
  return family === 'set' || family === 'rows' || family === 'people'
}

function joinRows(rows: readonly Row[], hasMany: boolean, source: string): Expression {
  if (!hasMany) {
    return allOfExpressions(rows.map(rowExpression))
  }
  let found: readonly Conjunction[] = [[]]
  for (const row of rows) {
    const alternatives = findAlternatives(row.expression, row.isNegated)
    if (alternatives === null) {
      return UNKNOWN
    }
    found = found.flatMap((members) => alternatives.map((added) => [...members, ...added]))
    if (found.length > MOST_CONDITIONS) {
      throw fault(searchInvalid, { source, reason: 'has too many combinations of values' })
    }
  }
  return anyOfExpressions(found.map((members) => ({ kind: 'sameRow', members })))
}

/**
 * What one of the conditions of a row has to be, as a row with several values is several conditions: that
 * some row meets one of two is that some row meets the first or some row meets the second. Null for a
 * row that nothing can meet.
 */
function findAlternatives(
  expression: Expression,
  isNegated: boolean,
): readonly Conjunction[] | null {
  switch (expression.kind) {
    case 'condition': {
      const form = positiveForm(expression.operator)
      const condition = { ...expression, operator: form.positive }
      return [[{ condition, isNegated: form.isNegated !== isNegated }]]
    }
    case 'any':
    case 'all': {
      const members = expression.members.flatMap(
        (member) => findAlternatives(member, isNegated) ?? [],
      )
      return (expression.kind === 'any') !== isNegated ? members : [members.flat()]
    }
    case 'not':
    case 'sameRow':
    case 'unknown':
      return null
  }
}
