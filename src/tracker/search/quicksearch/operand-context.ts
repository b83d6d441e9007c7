import { fault } from '../../../platform/faults/fault.ts'
import type { ParseContext } from '../context.ts'
import type { FieldCondition } from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import type { Operator } from '../operators.ts'
import { MAX_CONDITIONS } from '../size.ts'
import type { Switches } from './operands.ts'
import type { Word } from './tokenize.ts'

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
