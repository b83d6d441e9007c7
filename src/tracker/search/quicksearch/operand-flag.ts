import { allOfExpressions, anyOfExpressions, type Expression } from '../expression.ts'
import type { Operator } from '../operators.ts'
import { createCondition, describeSource, type OperandContext } from './operand-context.ts'
import { sliceWord, splitWord, textOf, type Word } from './tokenize.ts'

/** Where the question mark asks nobody: custom fields and addresses. */
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
