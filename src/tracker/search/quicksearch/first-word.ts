import type { SearchConfiguration } from '../configuration.ts'
import { allOfExpressions, type Expression } from '../expression.ts'
import { createCondition, describeSource, type OperandContext } from './operand-context.ts'
import type { Operand } from './operands.ts'

/** What the first word says of statuses; `isLimitLifted` by its trailing plus. */
export type FirstWord = { readonly expression: Expression; readonly isLimitLifted: boolean }

const STATUS_WORD = /^([A-Z_,]+)(\+?)$/

/**
 * The statuses that the first group of a quicksearch asks for: `ALL`, `OPEN`, or prefixes of statuses and
 * resolutions. Null when it is no such word. Reference: search.md, "Quicksearch".
 */
export function parseFirstWord(
  group: readonly Operand[],
  context: OperandContext,
): FirstWord | null {
  const [operand] = group
  if (operand === undefined || operand.isNegated || group.length > 1) {
    return null
  }
  const [, names = '', plus] = STATUS_WORD.exec(operand.word.shape) ?? []
  const expression =
    names === '' ? null : parseStatuses(names, describeSource(operand.word), context)
  return expression && { expression, isLimitLifted: plus === '+' }
}

function parseStatuses(names: string, source: string, context: OperandContext): Expression | null {
  if (names === 'ALL') {
    return allOfExpressions([])
  }
  if (names === 'OPEN') {
    return createOpenCondition(source, context)
  }
  const { statuses, resolutions } = findByPrefixes(names.split(','), context.configuration)
  const conditions = [
    ...(statuses.length > 0 ? [{ field: 'bug_status', values: statuses }] : []),
    ...(resolutions.length > 0 ? [{ field: 'resolution', values: resolutions }] : []),
  ].map((condition) => createCondition({ ...condition, operator: 'anyexact' }, source, context))
  return conditions.length > 0 ? allOfExpressions(conditions) : null
}

/** Bugs with an open status. */
export function createOpenCondition(source: string, context: OperandContext): Expression {
  const values = ['__open__']
  return createCondition({ field: 'bug_status', operator: 'anyexact', values }, source, context)
}

/** The names that start with one of the prefixes. A resolution adds all statuses in which bugs have one. */
function findByPrefixes(names: readonly string[], configuration: SearchConfiguration) {
  const prefixes = names.filter((name) => name !== '')
  const isMeant = (name: string) => prefixes.some((prefix) => name.toUpperCase().startsWith(prefix))
  const resolutions = configuration.resolutions.filter(isMeant)
  const statuses = configuration.statuses
    .filter(({ name, isOpen }) => isMeant(name) || (resolutions.length > 0 && !isOpen))
    .map(({ name }) => name)
  return { statuses, resolutions }
}
