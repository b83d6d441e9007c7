import { lengthOf } from '../../../platform/lib/text.ts'
import { anyOfExpressions, type Expression, type FieldCondition, UNKNOWN } from '../expression.ts'
import { DEFINED_KEYWORD, FIRST_COMMENT } from '../search-fields.ts'
import { createCondition, describeSource, type OperandContext } from './operand-context.ts'
import { findPriorities } from './operand-priority.ts'
import { splitWord, startsWithQuote, textOf, type Word } from './tokenize.ts'

/** Shorter texts are parts of too many names of products and components. */
const LEAST_LENGTH_IN_NAMES = 3

const IP_ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}/
const HOST_NAME = /^[a-z][a-z\d-]*\.[a-z]/i

/**
 * A word without a field: any of its parts between commas, in any of the fields that plain words search, or
 * the priorities that a part such as `P1` stands for. Null for a blank one.
 * Reference: search.md, "Plain words".
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
export function createPhraseConditions(
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
