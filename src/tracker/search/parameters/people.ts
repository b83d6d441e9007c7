import { anyOfExpressions, type Expression } from '../expression.ts'
import { requireOperator } from '../operator-support.ts'
import type { ParseContext } from '../parse-context.ts'
import { requireSearchField } from '../require-search-field.ts'
import { parseComparison, rowValues } from './comparison.ts'
import { findNumbered, firstText, type GivenParameters, isOn, textsOf } from './given.ts'

/** The roles by the middle of the names of their flags: `emailcc1`. */
const ROLES = [
  ['assigned_to', 'assigned_to'],
  ['reporter', 'reporter'],
  ['qa_contact', 'qa_contact'],
  ['cc', 'cc'],
  ['longdesc', 'commenter'],
] as const

/**
 * The expressions of the people blocks: `email1` with its operator and the roles that are ticked, of which
 * any has to match. Fault 32000 for an operator that does not exist. Reference: search.md, "People in roles".
 */
export function parsePeopleBlocks(given: GivenParameters, context: ParseContext): Expression[] {
  return findNumbered(given, /^email(\d{1,9})$/).flatMap(
    ({ end }) => parseBlock(end, given, context) ?? [],
  )
}

function parseBlock(end: string, given: GivenParameters, context: ParseContext): Expression | null {
  const source = `email${end}`
  const texts = textsOf(given, source)
  const roles = ROLES.filter(([role]) => isOn(given, `email${role}${end}`))
  if (texts.length === 0 || roles.length === 0) {
    return null
  }
  const type = `emailtype${end}`
  const operator = requireOperator(firstText(given, type) || 'equals', type)
  const values = rowValues(operator, texts)
  const members = roles.flatMap(([, name]) => {
    const field = requireSearchField(name, source, context)
    return parseComparison({ field, operator, values, source }) ?? []
  })
  return members.length === 0 ? null : anyOfExpressions(members)
}
