import type { ParseContext } from '../context.ts'
import type { Expression, PositiveExpression } from '../expression.ts'
import { flatten } from './groups.ts'
import { separateNegations } from './negations.ts'
import { cutPhrases } from './phrases.ts'
import { leaveSummaries } from './summaries.ts'
import { separateWords } from './words-of-sets.ts'

/** Passes that spare the compiler special cases: each makes an expression that finds the same bugs. */
export function rewrite(expression: Expression, context: ParseContext): PositiveExpression {
  const passes = [separateWords, cutPhrases, leaveSummaries, flatten]
  return passes.reduce((rewritten, pass) => pass(rewritten, context), separateNegations(expression))
}
