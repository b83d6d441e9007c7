import { fault } from '../../../platform/faults/fault.ts'
import { searchInvalid } from '../faults.ts'
import { describePosition, sliceWord, type Word } from './tokenize.ts'

/** One thing that a quicksearch looks for; `isNegated` when NOT stands ahead of it. */
export type QuicksearchOperand = { readonly word: Word; readonly isNegated: boolean }

type Connective = 'AND' | 'OR' | 'NOT'

type Token = { readonly connective: Connective | null; readonly word: Word }

/**
 * The operands of a quicksearch by AND, OR and NOT: of each group one has to hold, and every group.
 * OR therefore binds tighter than AND.
 */
export function groupOperands(words: readonly Word[], text: string): QuicksearchOperand[][] {
  const groups: QuicksearchOperand[][] = []
  let previous: Token | null = null
  let isAlternative = false
  let isNegated = false
  for (const token of words.flatMap(findTokens)) {
    assertPlaced(token, previous, text)
    previous = token
    if (token.connective === null) {
      const operand = { word: token.word, isNegated }
      const last = groups.at(-1)
      if (isAlternative && last !== undefined) {
        last.push(operand)
      } else {
        groups.push([operand])
      }
      isAlternative = false
      isNegated = false
    } else {
      isAlternative ||= token.connective === 'OR'
      isNegated = token.connective === 'NOT' ? !isNegated : isNegated
    }
  }
  if (previous !== null && previous.connective !== null) {
    throw refuse(previous, text, 'nothing behind it')
  }
  return groups
}

/** A word of its own is a connective; within other words `|` is the only one. */
function findTokens(word: Word): Token[] {
  const { shape } = word
  if (shape === 'AND' || shape === 'OR' || shape === 'NOT') {
    return [{ connective: shape, word }]
  }
  const tokens: Token[] = []
  let from = 0
  for (let at = shape.indexOf('|'); at !== -1; at = shape.indexOf('|', from)) {
    if (at > from) {
      tokens.push({ connective: null, word: sliceWord(word, from, at) })
    }
    tokens.push({ connective: 'OR', word: sliceWord(word, at, at + 1) })
    from = at + 1
  }
  return from < shape.length
    ? [...tokens, { connective: null, word: sliceWord(word, from) }]
    : tokens
}

function assertPlaced(token: Token, previous: Token | null, text: string): void {
  if (token.connective === null || token.connective === 'NOT') {
    return
  }
  if (previous === null) {
    throw refuse(token, text, 'nothing ahead of it')
  }
  if (previous.connective !== null && previous.connective !== token.connective) {
    throw refuse(token, text, `only '${previous.word.raw}' ahead of it`)
  }
}

function refuse({ word }: Token, text: string, what: string) {
  const reason = `has '${word.raw}' at ${describePosition(text, word.index)} with ${what}; AND and OR stand between two words and NOT ahead of one, and quotes make them text`
  return fault(searchInvalid, { source: 'quicksearch', reason })
}

/** Where plain words look in addition to the fields that they always look into. */
export type Switches = { readonly comments: boolean; readonly description: boolean }

const SWITCH = /^(\+\+|--)(comment|description)s?$/i

/**
 * What `++comments`, `--comments`, `++description` and `--description` switch on and off, and the
 * words without them; the last one of a kind counts.
 */
export function takeSwitches(words: readonly Word[]): { switches: Switches; words: Word[] } {
  let switches: Switches = { comments: true, description: false }
  const others: Word[] = []
  for (const word of words) {
    const [, sign, name] = SWITCH.exec(word.shape) ?? []
    if (name === undefined) {
      others.push(word)
    } else if (name.toLowerCase() === 'comment') {
      switches = { ...switches, comments: sign === '++' }
    } else {
      switches = { ...switches, description: sign === '++' }
    }
  }
  return { switches, words: others }
}
