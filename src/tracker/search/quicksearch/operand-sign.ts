import { anyOfExpressions, type Expression } from '../expression.ts'
import type { Operator } from '../operators.ts'
import { createCondition, describeSource, type OperandContext } from './operand-context.ts'
import { createPhraseConditions } from './operand-word.ts'
import { sliceWord, splitWord, textOf, type Word } from './tokenize.ts'

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
