import { fault } from '../../../platform/faults/fault.ts'
import { lengthOf } from '../../../platform/lib/text.ts'
import type { SearchConfiguration } from '../configuration.ts'
import type { ParseContext } from '../context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  type FieldCondition,
  UNKNOWN,
} from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import type { Operator } from '../operators.ts'
import { DEFINED_KEYWORD, FIRST_COMMENT } from '../search-fields.ts'
import { MAX_CONDITIONS } from '../size.ts'
import type { Switches } from './operands.ts'
import { sliceWord, splitWord, startsWithQuote, textOf, type Word } from './tokenize.ts'

/** A name that is no field, or short for several. */
export type NameProblem = { readonly name: Word; readonly candidates: readonly string[] }

/** What the operands of one quicksearch share. */
export type OperandContext = ParseContext & {
  readonly switches: Switches
  /** Collects the problems of all operands, to be answered together. */
  readonly problems: NameProblem[]
  /** Counts the conditions of all operands. */
  readonly counter: { conditions: number }
}

/** What a condition compares: a field by its internal name, an operator and texts. */
type Comparison = {
  readonly field: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** A condition that a part of the quicksearch asks for. */
export function createCondition(
  comparison: Comparison,
  source: string,
  context: OperandContext,
): FieldCondition {
  context.counter.conditions += 1
  if (context.counter.conditions > MAX_CONDITIONS) {
    const reason = `looks for too much: its words and their fields make more than ${MAX_CONDITIONS} conditions; leave out words, or name the field of a word`
    throw fault(searchInvalid, { source: 'quicksearch', reason })
  }
  return { kind: 'condition', ...comparison, source }
}

/** A part of a quicksearch, for messages. */
export function describeSource({ raw }: Word): string {
  return `quicksearch '${raw}'`
}

/** Shorter texts are parts of too many names of products and components. */
const LEAST_LENGTH_IN_NAMES = 3

const IP_ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}/
const HOST_NAME = /^[a-z][a-z\d-]*\.[a-z]/i

/**
 * A word without a field: any of its parts between commas, in any of the fields that plain words search, or
 * the priorities of a part such as `P1`. Null for a blank one.
 */
export function parsePlainWord(word: Word, context: OperandContext): Expression | null {
  const mayNamePriority = !startsWithQuote(word)
  const members = splitWord(word, ',').flatMap((part): Expression[] => {
    const text = textOf(part).trim()
    const isSpecial = mayNamePriority && !startsWithQuote(part)
    const priorities = isSpecial ? findPriorities(part.shape, context.configuration) : undefined
    const source = describeSource(part)
    if (priorities === undefined) {
      return text === '' ? [] : createTextConditions(text, source, context)
    }
    const comparison = { field: 'priority', operator: 'anyexact', values: priorities } as const
    return priorities.length > 0 ? [createCondition(comparison, source, context)] : [UNKNOWN]
  })
  return members.length > 0 ? anyOfExpressions(members) : null
}

function createTextConditions(
  text: string,
  source: string,
  context: OperandContext,
): FieldCondition[] {
  const fields = [
    ...(lengthOf(text) >= LEAST_LENGTH_IN_NAMES ? ['product', 'component'] : []),
    DEFINED_KEYWORD.name,
    'alias',
    'short_desc',
    'status_whiteboard',
    ...(context.switches.description ? [FIRST_COMMENT.name] : []),
    ...(isAddressLike(text) ? ['bug_file_loc'] : []),
  ]
  return [
    ...fields.map((field) =>
      createCondition({ field, operator: 'substring', values: [text] }, source, context),
    ),
    ...createPhraseConditions(text, source, context),
  ]
}

/** The text as a phrase of the summary or of a comment; nothing when comments are switched off. */
function createPhraseConditions(
  text: string,
  source: string,
  context: OperandContext,
): FieldCondition[] {
  // the phrase ends at the next quote, and a quote separates words as white space does
  const phrase = text.replaceAll('"', ' ').trim()
  if (!context.switches.comments || phrase === '') {
    return []
  }
  const values = [`"${phrase}"`]
  return [createCondition({ field: 'content', operator: 'matches', values }, source, context)]
}

function isAddressLike(text: string): boolean {
  const folded = text.toLowerCase()
  return (
    IP_ADDRESS.test(text) ||
    HOST_NAME.test(text) ||
    ['://', 'localhost', 'mailto'].some((part) => folded.includes(part))
  )
}

/** Words in which a question mark names no requestee: custom fields and addresses. */
const NO_FLAG = /^cf_|^[a-z][a-z\d+.-]*:\/\//i

/** A flag that is asked for and, perhaps, of whom: `review?`, `review?kim`; undefined for other words. */
export function parseFlagShortcut(word: Word, context: OperandContext): Expression | undefined {
  return NO_FLAG.test(word.shape) ? undefined : parseRequest(word, 'substring', context)
}

/**
 * A text with one question mark that is not its first character: the flag up to it, and some flag that asks
 * a person behind it, perhaps another flag. Undefined for other texts.
 */
export function parseRequest(
  word: Word,
  operator: Operator,
  context: OperandContext,
): Expression | undefined {
  const at = word.shape.indexOf('?')
  if (at < 1 || at !== word.shape.lastIndexOf('?')) {
    return undefined
  }
  const source = describeSource(word)
  const compare = (field: string, part: Word) =>
    createCondition({ field, operator, values: [textOf(part).trim()] }, source, context)
  const flag = compare('flagtypes.name', sliceWord(word, 0, at + 1))
  const people = splitWord(sliceWord(word, at + 1), ',')
    .filter((part) => textOf(part).trim() !== '')
    .map((part) => compare('requestees.login_name', part))
  return people.length > 0 ? allOfExpressions([flag, anyOfExpressions(people)]) : flag
}

type Sign = {
  readonly fields: readonly string[]
  readonly operator: Operator
  /** Whether commas separate texts of which any may match. */
  readonly isList?: true
  /** Whether comments are searched for the text as a phrase. */
  readonly hasComments?: true
}

const SIGNS: Readonly<Record<string, Sign>> = {
  '#': { fields: ['short_desc'], operator: 'substring', hasComments: true },
  ':': { fields: ['product', 'component'], operator: 'substring', isList: true },
  '@': { fields: ['assigned_to'], operator: 'substring', isList: true },
  '[': { fields: ['short_desc', 'status_whiteboard'], operator: 'substring' },
  '!': { fields: ['keywords'], operator: 'anywords' },
}

/** A sign and a text, such as `@kim`; undefined for other words, null when the text is blank. */
export function parseSign(word: Word, context: OperandContext): Expression | null | undefined {
  const sign = SIGNS[word.shape.charAt(0)]
  if (sign === undefined || word.shape.length === 1) {
    return undefined
  }
  const rest = sliceWord(word, 1)
  const texts = (sign.isList ? splitWord(rest, ',') : [rest])
    .map((part) => textOf(part).trim())
    .filter((text) => /[^\s,]/.test(text))
  const source = describeSource(word)
  const conditions = texts.flatMap((text) => [
    ...sign.fields.map((field) =>
      createCondition({ field, operator: sign.operator, values: [text] }, source, context),
    ),
    ...(sign.hasComments ? createPhraseConditions(text, source, context) : []),
  ])
  return conditions.length > 0 ? anyOfExpressions(conditions) : null
}

const PRIORITY = /^p(\d+)(?:-(\d+))?$/i

/**
 * The priorities of a text such as `P1` or `P2-4`: by their names, else by their places in the configured
 * order, of which `P0` is the first too. None when there is no such priority; undefined for other texts.
 */
function findPriorities(
  text: string,
  configuration: SearchConfiguration,
): readonly string[] | undefined {
  const [, first, last] = PRIORITY.exec(text) ?? []
  if (first === undefined) {
    return undefined
  }
  const ends = [Number(first), Number(last ?? first)]
  const [from, to] = [Math.min(...ends), Math.max(...ends)]
  const named = configuration.priorities.filter((name) => {
    const number = Number(/^p(\d+)$/i.exec(name)?.[1] ?? Number.NaN)
    return number >= from && number <= to
  })
  return named.length > 0
    ? named
    : configuration.priorities.slice(Math.max(from, 1) - 1, Math.max(to, 1))
}
