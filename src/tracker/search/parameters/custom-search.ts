import { fault } from '../../../platform/faults/fault.ts'
import type { ParseContext } from '../context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  negate,
  type RowCondition,
  UNKNOWN,
} from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import { kindOfOperator, needsValue, type Operator, positiveForm } from '../operators.ts'
import { requireOperator, requireSearchField } from '../require.ts'
import type { SearchField } from '../search-fields.ts'
import { MAX_CONDITIONS, MAX_NESTING } from '../size.ts'
import { parseComparison, rowValues } from './comparison.ts'
import { findNumbered, firstText, type GivenParameters, isOn, textsOf } from './given.ts'

const JOINERS = ['AND', 'OR', 'AND_G'] as const

type Joiner = (typeof JOINERS)[number]

type Group = {
  readonly kind: 'group'
  readonly joiner: Joiner
  readonly isNegated: boolean
  readonly members: (ChartRow | Group)[]
  /** The parameter that joins its members. */
  readonly source: string
}

/**
 * The expression of the rows `f1`, `o1`, `v1`, `n1` and `j1` with their groups, joined by `j_top`;
 * null when no row is complete.
 */
export function parseCustomSearch(
  given: GivenParameters,
  context: ParseContext,
): Expression | null {
  const rows = findNumbered(given, /^f(\d{1,9})$/)
  return rows.length === 0 ? null : groupExpression(readGroups(rows, given, context))
}

function readGroups(
  rows: readonly { readonly end: string }[],
  given: GivenParameters,
  context: ParseContext,
): Group {
  const top = openGroup(given, 'j_top', false)
  const open = [top]
  for (const { end } of rows) {
    const current = open.at(-1) ?? top
    const isNegated = isOn(given, `n${end}`)
    switch (firstText(given, `f${end}`)) {
      case 'OP': {
        const group = openGroup(given, `j${end}`, isNegated)
        assertNesting(open.length, `f${end}`)
        current.members.push(group)
        open.push(group)
        break
      }
      case 'CP':
        assertOpen(open.length > 1, `f${end}`)
        open.pop()
        break
      default: {
        const names = { field: `f${end}`, operator: `o${end}`, value: `v${end}` }
        const row = parseRow(given, names, isNegated, context)
        current.members.push(...(row === null ? [] : [row]))
      }
    }
  }
  return top
}

function openGroup(given: GivenParameters, source: string, isNegated: boolean): Group {
  const text = firstText(given, source) || 'AND'
  const joiner = JOINERS.find((known) => known === text)
  if (joiner === undefined) {
    throw fault(searchInvalid, {
      source,
      reason: `is '${text}'; it may be ${JOINERS.join(', ')}`,
    })
  }
  return { kind: 'group', joiner, isNegated, members: [], source }
}

function assertNesting(depth: number, source: string): void {
  if (depth > MAX_NESTING) {
    throw fault(searchInvalid, {
      source,
      reason: `opens a group within ${MAX_NESTING} others, which is too deep`,
    })
  }
}

function assertOpen(isOpen: boolean, source: string): void {
  if (!isOpen) {
    throw fault(searchInvalid, { source, reason: 'is CP, but no OP before it opens a group' })
  }
}

/** Null for a group without conditions, even a negated one. */
function groupExpression({ joiner, isNegated, members, source }: Group): Expression | null {
  const expressions = members.flatMap(
    (member) => (member.kind === 'row' ? rowExpression(member) : groupExpression(member)) ?? [],
  )
  if (expressions.length === 0) {
    return null
  }
  const join = () => {
    switch (joiner) {
      case 'AND':
        return allOfExpressions(expressions)
      case 'OR':
        return anyOfExpressions(expressions)
      case 'AND_G': {
        const rows = members.filter((member) => member.kind === 'row')
        if (rows.length < expressions.length) {
          throw fault(searchInvalid, { source, reason: 'is AND_G, which takes no groups' })
        }
        return parseSameRow(rows, source)
      }
    }
  }
  return isNegated ? negate(join()) : join()
}

/** A row of the custom search or a cell of a classic chart. */
export type ChartRow = {
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
 * Sent by the search screen for a field or an operator that is not chosen, and for votes, which do not exist
 * here.
 */
export const NOT_CHOSEN: readonly string[] = ['', 'noop', 'votes']

/** The row of these parameters; null when it lacks its field, operator or value. */
function parseRow(
  given: GivenParameters,
  names: RowNames,
  isNegated: boolean,
  context: ParseContext,
): ChartRow | null {
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

function rowExpression({ expression, isNegated }: ChartRow): Expression {
  return isNegated ? negate(expression) : expression
}

/** Conditions that hold together. */
type Conjunction = readonly RowCondition[]

/**
 * The expression of a group that `AND_G` joins: one row of its field meets all value tests, and one
 * change of the field meets all history tests.
 */
function parseSameRow(rows: readonly ChartRow[], source: string): Expression {
  const [first] = rows
  const other = rows.find(({ field }) => field.name !== first?.field.name)
  if (first === undefined || other !== undefined) {
    throw fault(searchInvalid, {
      source,
      reason: `is AND_G, whose rows all name one field; ${other?.source} names another one`,
    })
  }
  const changes = rows.filter(({ operator }) => kindOfOperator(operator) === 'change')
  const values = rows.filter(({ operator }) => kindOfOperator(operator) !== 'change')
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

function joinRows(rows: readonly ChartRow[], hasMany: boolean, source: string): Expression {
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
    if (found.length > MAX_CONDITIONS) {
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

/**
 * The expressions of the classic charts: the cells `field0-0-0` of one row are alternatives, all
 * rows of a chart have to match, and `negate0` negates the chart. The number of a chart may be negative.
 */
export function parseCharts(given: GivenParameters, context: ParseContext): Expression[] {
  const charts = new Map<number, Map<number, Expression[]>>()
  for (const { end, numbers } of findNumbered(given, /^field(-?\d{1,9}-\d{1,9}-\d{1,9})$/)) {
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
