import { fault } from '../../../platform/faults/fault.ts'
import type { SearchConfiguration } from '../configuration.ts'
import type { ParseContext } from '../context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  conditionsOf,
  type Expression,
  negate,
} from '../expression.ts'
import { noSearchTerms, searchInvalid } from '../faults.ts'
import { parseFieldTerm } from './operand-field.ts'
import {
  createCondition,
  describeSource,
  type NameProblem,
  type OperandContext,
  parseFlagShortcut,
  parsePlainWord,
  parseSign,
} from './operand-word.ts'
import { groupOperands, type QuicksearchOperand, takeSwitches } from './operands.ts'
import {
  describePosition,
  sliceWord,
  startsWithQuote,
  textOf,
  tokenize,
  type Word,
} from './tokenize.ts'

const MAX_LISTED = 20

/** What a quicksearch asks for. */
export type Quicksearch = {
  readonly expression: Expression
  /** Its first word ends in a plus: as many bugs as the service answers, regardless of `limit`. */
  readonly isLimitLifted: boolean
}

/** `hasStatusCriterion`: another parameter asks for statuses or resolutions, so that closed bugs count. */
type QuicksearchContext = ParseContext & { readonly hasStatusCriterion: boolean }

/** Parses a quicksearch. */
export function parseQuicksearch(text: string, given: QuicksearchContext): Quicksearch {
  const { switches, words } = takeSwitches(tokenize(text))
  const context: OperandContext = { ...given, switches, problems: [], counter: { conditions: 0 } }
  const ids = findIds(words)
  if (ids.length > 0) {
    const condition = { field: 'bug_id', operator: 'anyexact', values: ids } as const
    const expression: Expression = { kind: 'condition', ...condition, source: 'quicksearch' }
    return { expression, isLimitLifted: false }
  }
  const groups = groupOperands(words, text)
  const firstWord = parseFirstWord(groups[0] ?? [], context)
  const members = parseGroups(firstWord === null ? groups : groups.slice(1), context)
  assertNamesKnown(context.problems, text)
  if (firstWord === null && members.length === 0) {
    throw fault(noSearchTerms, { unknown: '' })
  }
  const statuses = firstWord?.expression ?? createOpenRule(members, given, context)
  return {
    expression: allOfExpressions([statuses, ...members]),
    isLimitLifted: firstWord?.isLimitLifted ?? false,
  }
}

/** The numbers of a quicksearch that consists of nothing else. */
function findIds(words: readonly Word[]): string[] {
  return words.every(({ shape }) => /^[\d,]+$/.test(shape))
    ? words.flatMap(({ raw }) => raw.split(',')).filter((id) => id !== '')
    : []
}

/** What each group asks for, without those that ask for nothing. */
function parseGroups(
  groups: readonly (readonly QuicksearchOperand[])[],
  context: OperandContext,
): Expression[] {
  return groups.flatMap((group) => {
    const members = group.flatMap((operand) => parseOperand(operand, context) ?? [])
    return members.length > 0 ? [anyOfExpressions(members)] : []
  })
}

/** Open bugs alone, unless the search says something of statuses or resolutions. */
function createOpenRule(
  members: readonly Expression[],
  { hasStatusCriterion }: QuicksearchContext,
  context: OperandContext,
): Expression {
  const asksForStatus = members
    .flatMap(conditionsOf)
    .some(({ field }) => field === 'bug_status' || field === 'resolution')
  return hasStatusCriterion || asksForStatus
    ? allOfExpressions([])
    : createOpenCondition('quicksearch', context)
}

function assertNamesKnown(problems: readonly NameProblem[], text: string): void {
  if (problems.length === 0) {
    return
  }
  const describeProblem = ({ name, candidates }: NameProblem) => {
    const place = `'${textOf(name)}' at ${describePosition(text, name.index)}`
    return candidates.length === 0
      ? `${place}, which is no field`
      : `${place}, which may be short for ${listSome(candidates, String).join(', ')}`
  }
  const names = listSome(problems, describeProblem).join('; ')
  const reason = `names ${names}; write the name of a field, or put quotes around a word that is meant as text`
  throw fault(searchInvalid, { source: 'quicksearch', reason })
}

/** The first members of a list as texts, because a message is to be read. */
function listSome<Item>(items: readonly Item[], describe: (item: Item) => string): string[] {
  const more = items.length - MAX_LISTED
  const shown = items.slice(0, MAX_LISTED).map(describe)
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

/** What the first word says of statuses; `isLimitLifted` by its trailing plus. */
type FirstWord = { readonly expression: Expression; readonly isLimitLifted: boolean }

const STATUS_WORD = /^([A-Z_,]+)(\+?)$/

/**
 * The statuses that the first group of a quicksearch asks for: `ALL`, `OPEN`, or prefixes of
 * statuses and resolutions. Null when it is no such word.
 */
function parseFirstWord(
  group: readonly QuicksearchOperand[],
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
function createOpenCondition(source: string, context: OperandContext): Expression {
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

/**
 * What one operand asks for: a minus ahead of it negates all of it. Null when it asks for nothing,
 * as a field without a value does.
 */
function parseOperand(operand: QuicksearchOperand, context: OperandContext): Expression | null {
  const hasMinus = operand.word.shape.startsWith('-') && operand.word.shape.length > 1
  const expression = parsePositive(hasMinus ? sliceWord(operand.word, 1) : operand.word, context)
  return expression !== null && hasMinus !== operand.isNegated ? negate(expression) : expression
}

/** The forms of an operand, from the most special one to plain words. */
function parsePositive(word: Word, context: OperandContext): Expression | null {
  if (!startsWithQuote(word)) {
    for (const parseForm of [parseSign, parseFieldTerm, parseFlagShortcut]) {
      const expression = parseForm(word, context)
      if (expression !== undefined) {
        return expression
      }
    }
  }
  return parsePlainWord(word, context)
}
