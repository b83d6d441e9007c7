import { fault } from '../../../platform/faults/fault.ts'
import { FIELD_CATALOGUE, type FieldRow } from '../../fields/catalogue.ts'
import { toPublicName } from '../../fields/names.ts'
import type { SearchConfiguration } from '../configuration.ts'
import { anyOfExpressions, type Expression, negate } from '../expression.ts'
import { searchFieldUnknown } from '../faults.ts'
import type { Operator } from '../operators.ts'
import { assertOperatorFits } from '../require.ts'
import { findSearchField, type SearchField } from '../search-fields.ts'
import {
  createCondition,
  describeSource,
  type OperandContext,
  parsePlainWord,
  parseRequest,
} from './operand-word.ts'
import { sliceWord, splitWord, textOf, type Word } from './tokenize.ts'

/** Those of two characters first, because they contain the others. */
const SYMBOLS: readonly (readonly [symbol: string, operator: Operator][])[] = [
  [
    ['!=', 'notequals'],
    ['>=', 'greaterthaneq'],
    ['<=', 'lessthaneq'],
  ],
  [
    [':', 'substring'],
    ['=', 'equals'],
    ['>', 'greaterthan'],
    ['<', 'lessthan'],
  ],
]

/** The start of an address, which looks like a field with a value. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|mailto:)/i
const PORT = /^\d{1,5}(?:\/|$)/

type Split = { readonly left: Word; readonly operator: Operator; readonly value: Word }

type FieldComparison = {
  readonly operator: Operator
  readonly value: Word
  readonly source: string
}

type MatchedName = NameMatch & { readonly name: Word }

/**
 * Fields, the symbol of an operator and values, such as `summary,whiteboard:crash`. Undefined when
 * it is a word of another form; null without a value, and when a name is not that of one field,
 * which is added to the problems.
 */
export function parseFieldTerm(word: Word, context: OperandContext): Expression | null | undefined {
  const split = splitAtSymbol(word)
  if (split === undefined) {
    return undefined
  }
  const names = splitWord(split.left, ',').map((name) => ({
    name,
    ...matchFieldName(textOf(name).trim(), context.configuration),
  }))
  if (names.length === 0 || isAddress(word, split, names)) {
    return parsePlainWord(word, context)
  }
  const fields = names.flatMap((match) => findField(match, context) ?? [])
  const distinct = [...new Map(fields.map((field) => [field.name, field])).values()]
  const values = splitWord(split.value, ',')
  const comparison = { operator: split.operator, source: describeSource(word) }
  const members = distinct.flatMap((field) =>
    values.map((value) => compareField(field, { ...comparison, value }, context)),
  )
  return members.length > 0 ? anyOfExpressions(members) : null
}

/** Splits at the symbol that occurs once outside of quotes, the leftmost if several do. */
function splitAtSymbol(word: Word): Split | undefined {
  const { shape } = word
  for (const symbols of SYMBOLS) {
    const [found] = symbols
      .map(([symbol, operator]) => ({ symbol, operator, at: shape.indexOf(symbol) }))
      .filter(({ symbol, at }) => at !== -1 && at === shape.lastIndexOf(symbol))
      .sort((a, b) => a.at - b.at)
    if (found !== undefined) {
      const value = sliceWord(word, found.at + found.symbol.length)
      return { left: sliceWord(word, 0, found.at), operator: found.operator, value }
    }
  }
  return undefined
}

/** Whether a word such as `http://host` or `host:80` only looks like a field with a value. */
function isAddress(word: Word, { operator, value }: Split, names: readonly MatchedName[]): boolean {
  if (operator === 'substring' && value.shape.startsWith('//')) {
    // `file` is short for a field, and an address nevertheless
    return names.some(({ isExact }) => !isExact)
  }
  const isUnknown = names.some(({ matches }) => matches.length === 0)
  return (
    isUnknown && (ADDRESS.test(word.shape) || (operator === 'substring' && PORT.test(value.shape)))
  )
}

/** The field that a name means; undefined if it means none or several, which is a problem to report. */
function findField(
  { name, matches }: MatchedName,
  context: OperandContext,
): SearchField | undefined {
  const [match] = matches
  if (match === undefined || matches.length > 1) {
    context.problems.push({ name, candidates: matches.map((each) => each.name) })
    return undefined
  }
  const field = findSearchField(match.field, context.configuration, context.caller)
  if (field === undefined) {
    throw fault(searchFieldUnknown, {
      source: 'quicksearch',
      name: textOf(name),
      hint: '; put quotes around the word if it is meant as text',
    })
  }
  return field
}

/** Compares a field with one value; `""` asks for bugs without one, as `---` does of resolutions. */
function compareField(
  field: SearchField,
  { operator, value, source }: FieldComparison,
  context: OperandContext,
): Expression {
  const text = textOf(value).trim()
  const isEmpty = text === '' || (field.name === 'resolution' && text === '---')
  const compare = (actual: Operator) => {
    assertOperatorFits(field, actual, source)
    const values = isEmpty ? [] : [text]
    return createCondition({ field: field.name, operator: actual, values }, source, context)
  }
  if (isEmpty) {
    return compare(operator === 'notequals' ? 'isnotempty' : 'isempty')
  }
  switch (field.name) {
    case 'content':
      return compare(operator === 'notequals' ? 'notmatches' : 'matches')
    case 'owner_idle_time':
      return compareIdleTime(operator, compare)
    case 'flagtypes.name':
      return compareRequest(operator, value, context) ?? compare(operator)
    default:
      return compare(operator)
  }
}

/** A time means that nothing happened since, unless the symbol says the opposite. */
function compareIdleTime(
  operator: Operator,
  compare: (actual: Operator) => Expression,
): Expression {
  switch (operator) {
    case 'lessthan':
    case 'lessthaneq':
      return compare(operator)
    case 'notequals':
      return negate(compare('greaterthan'))
    default:
      return compare('greaterthan')
  }
}

/** A flag and whom it asks, such as `review?kim`; undefined for other texts and for comparisons by size. */
function compareRequest(
  operator: Operator,
  part: Word,
  context: OperandContext,
): Expression | undefined {
  switch (operator) {
    case 'substring':
    case 'equals':
      return parseRequest(part, operator, context)
    case 'notequals': {
      const request = parseRequest(part, 'equals', context)
      return request && negate(request)
    }
    default:
      return undefined
  }
}

/** The fields that a name may mean: an exact one wins; else those of which it is the start of a name. */
type NameMatch = {
  readonly isExact: boolean
  /** Each field once, by its internal name, with the name of it that matched. */
  readonly matches: readonly { readonly field: string; readonly name: string }[]
}

const FIELDS = Object.entries(FIELD_CATALOGUE).flatMap(([field, row]: [string, FieldRow]) => {
  const byDefault = field.includes('.') ? null : [field]
  const names = row.quicksearch === undefined ? byDefault : row.quicksearch
  const apiNames = row.isInQuicksearchByApiName ? [toPublicName(field)] : []
  return names === null ? [] : [{ field, names, exact: [field, ...names, ...apiNames] }]
})

const EXACT_NAMES: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap(({ field, exact }) => exact.map((name) => [name, field] as const)),
)

const SHORTENED_NAMES = FIELDS.flatMap(({ field, names }) => names.map((name) => ({ field, name })))

const CUSTOM_PREFIX = 'cf_'

/** The fields that a name in a quicksearch may mean, in any case; none for an unknown name. */
export function matchFieldName(text: string, configuration: SearchConfiguration): NameMatch {
  const name = text.toLowerCase()
  const exact =
    EXACT_NAMES.get(name) ??
    [name, CUSTOM_PREFIX + name].find((custom) => configuration.customFields.has(custom))
  if (exact !== undefined) {
    return { isExact: true, matches: [{ field: exact, name }] }
  }
  const standard = SHORTENED_NAMES.filter((candidate) => candidate.name.startsWith(name))
  const custom = [...configuration.customFields.keys()]
    .filter((field) => field.startsWith(name) || field.startsWith(CUSTOM_PREFIX + name))
    .map((field) => ({ field, name: field }))
  // the first name of a field is the one to show
  const matches = new Map(
    [...standard, ...custom].reverse().map((candidate) => [candidate.field, candidate]),
  )
  const byName = [...matches.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { isExact: false, matches: byName }
}
