import { type Expression, negate } from '../expression.ts'
import type { OperandContext } from './operand-context.ts'
import { parseFieldTerm } from './operand-field.ts'
import { parseFlagShortcut } from './operand-flag.ts'
import { parseSign } from './operand-sign.ts'
import { parsePlainWord } from './operand-word.ts'
import type { Operand } from './operands.ts'
import { sliceWord, startsWithQuote, type Word } from './tokenize.ts'

/**
 * What one operand asks for: a minus ahead of it negates all of it. Null when it asks for nothing, as a
 * field without a value does. Fault 32000 for a pair of field and operator that is not supported.
 * Reference: search.md, "Quicksearch".
 */
export function parseOperand(operand: Operand, context: OperandContext): Expression | null {
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
