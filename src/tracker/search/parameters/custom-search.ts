import { fault } from '../../../platform/faults/fault.ts'
import { allOfExpressions, anyOfExpressions, type Expression, negate } from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import type { ParseContext } from '../parse-context.ts'
import { MOST_NESTING } from '../search-size.ts'
import { findNumbered, firstText, type GivenParameters, isOn } from './given.ts'
import { parseRow, type Row, rowExpression } from './row.ts'
import { parseSameRow } from './same-row.ts'

const JOINERS = ['AND', 'OR', 'AND_G'] as const

type Joiner = (typeof JOINERS)[number]

type Group = {
  readonly kind: 'group'
  readonly joiner: Joiner
  readonly isNegated: boolean
  readonly members: (Row | Group)[]
  /** The parameter that joins its members. */
  readonly source: string
}

/**
 * The expression of the rows `f1`, `o1`, `v1`, `n1` and `j1` with their groups, joined by `j_top`; null
 * when no row is complete. Faults: 32000 for an unknown operator or joiner, a group that is closed without
 * being open, groups nested more than 20 deep, `AND_G` over several fields; 108, 304.
 * Reference: search.md, "Custom search".
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
  if (depth > MOST_NESTING) {
    throw fault(searchInvalid, {
      source,
      reason: `opens a group within ${MOST_NESTING} others, which is too deep`,
    })
  }
}

function assertOpen(isOpen: boolean, source: string): void {
  if (!isOpen) {
    throw fault(searchInvalid, { source, reason: 'is CP, but no OP before it opens a group' })
  }
}

/** Null for a group without conditions, be it negated or not. */
function groupExpression(group: Group): Expression | null {
  const members = group.members.flatMap((member): { of: Row | Group; expression: Expression }[] => {
    const expression = member.kind === 'row' ? rowExpression(member) : groupExpression(member)
    return expression === null ? [] : [{ of: member, expression }]
  })
  if (members.length === 0) {
    return null
  }
  const expressions = members.map(({ expression }) => expression)
  const joined = joinMembers(
    group,
    expressions,
    members.map(({ of }) => of),
  )
  return group.isNegated ? negate(joined) : joined
}

function joinMembers(
  { joiner, source }: Group,
  expressions: readonly Expression[],
  members: readonly (Row | Group)[],
): Expression {
  switch (joiner) {
    case 'AND':
      return allOfExpressions(expressions)
    case 'OR':
      return anyOfExpressions(expressions)
    case 'AND_G': {
      const rows = members.filter((member) => member.kind === 'row')
      if (rows.length < members.length) {
        throw fault(searchInvalid, { source, reason: 'is AND_G, which takes no groups' })
      }
      return parseSameRow(rows, source)
    }
  }
}
