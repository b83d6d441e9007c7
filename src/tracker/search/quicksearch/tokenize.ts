import { fault } from '../../../platform/faults/fault.ts'
import { lengthOf } from '../../../platform/lib/text.ts'
import { searchInvalid } from '../faults.ts'

/** What tokenizing asks of a text. */
export type Characters = Pick<string, 'length' | 'charAt' | 'slice'>

/**
 * A part of a quicksearch. `shape` is as long as `raw` and marks characters with a meaning: those outside of
 * quotes are themselves, quoted ones are `LITERAL`, quotes and their escapes are `MARK`.
 */
export type Word = {
  readonly raw: string
  readonly shape: string
  /** Where `raw` starts in the quicksearch. */
  readonly index: number
}

// lone surrogates, which no decoded text contains
const LITERAL = '\udc00'
const MARK = '\udc01'

/** An open quote; `closing` is the place of the apostrophe that closes it, -1 when a double quote does. */
type Quote = { readonly index: number; readonly closing: number }

/** What an opening apostrophe may follow within a word: `|`, or the symbol of an operator. */
const AHEAD_OF_APOSTROPHE = /[:=<>|]/

/**
 * The words of a quicksearch, separated by white space outside of quotes; without the commas and
 * the white space around all of them. Takes linear time.
 */
export function tokenize(text: Characters): Word[] {
  const { start, end } = findBounds(text)
  const words: Word[] = []
  let shape = ''
  let quote: Quote | null = null
  let noApostropheCloses = false
  const endWord = (at: number) => {
    if (shape !== '') {
      words.push({ raw: text.slice(at - shape.length, at), shape, index: at - shape.length })
      shape = ''
    }
  }
  for (let at = start; at < end; at += 1) {
    const character = text.charAt(at)
    if (character === '\\' && at + 1 < end && /["']/.test(text.charAt(at + 1))) {
      shape += MARK + LITERAL
      at += 1
    } else if (quote !== null) {
      const isClosing: boolean = quote.closing === -1 ? character === '"' : quote.closing === at
      shape += isClosing ? MARK : LITERAL
      quote = isClosing ? null : quote
    } else if (character === '"') {
      quote = { index: at, closing: -1 }
      shape += MARK
    } else if (/\s/.test(character)) {
      endWord(at)
    } else if (character === "'" && !noApostropheCloses && mayOpenQuote(text, at, shape)) {
      const closing = findClosingApostrophe(text, at + 1, end)
      noApostropheCloses = closing === -1
      quote = noApostropheCloses ? null : { index: at, closing }
      shape += noApostropheCloses ? character : MARK
    } else {
      shape += character === MARK ? LITERAL : character
    }
  }
  if (quote !== null) {
    const reason = `opens a quote at ${describePosition(text, quote.index)} that nothing closes; add the missing quote, or write \\" for the character itself`
    throw fault(searchInvalid, { source: 'quicksearch', reason })
  }
  endWord(end)
  return words
}

/** Where a text starts and ends without the commas and the white space around it. */
function findBounds(text: Characters): { start: number; end: number } {
  let start = 0
  let end = text.length
  while (start < end && /[\s,]/.test(text.charAt(start))) {
    start += 1
  }
  while (end > start && /[\s,]/.test(text.charAt(end - 1))) {
    end -= 1
  }
  return { start, end }
}

function mayOpenQuote(text: Characters, at: number, shape: string): boolean {
  // not the end of the shape: to read it after each addition to it would take quadratic time
  return shape === '' || shape === '-' || AHEAD_OF_APOSTROPHE.test(text.charAt(at - 1))
}

/** The next apostrophe ahead of white space or of the end; -1 when there is none. */
function findClosingApostrophe(text: Characters, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const isLast = at + 1 === end || /\s/.test(text.charAt(at + 1))
    if (text.charAt(at) === "'" && isLast && text.charAt(at - 1) !== '\\') {
      return at
    }
  }
  return -1
}

/** A place in a quicksearch, for messages. */
export function describePosition(text: Characters, index: number): string {
  return `character ${lengthOf(text.slice(0, index)) + 1}`
}

/** The text of a word without quotes and escapes. */
export function textOf({ raw, shape }: Word): string {
  if (!shape.includes(MARK)) {
    return raw
  }
  let text = ''
  for (let at = 0; at < shape.length; at += 1) {
    text += shape.charAt(at) === MARK ? '' : raw.charAt(at)
  }
  return text
}

/** Whether a word starts with a quote, and so is text in any case. */
export function startsWithQuote({ raw, shape }: Word): boolean {
  return shape.startsWith(MARK) && !raw.startsWith('\\')
}

export function sliceWord({ raw, shape, index }: Word, from: number, to = raw.length): Word {
  return { raw: raw.slice(from, to), shape: shape.slice(from, to), index: index + from }
}

/** The parts of a word between a separator outside of quotes, blank ones left out; `""` is not blank. */
export function splitWord(word: Word, separator: string): Word[] {
  const parts: Word[] = []
  let from = 0
  for (const shape of word.shape.split(separator)) {
    const part = sliceWord(word, from, from + shape.length)
    from += shape.length + separator.length
    if (part.raw !== '') {
      parts.push(part)
    }
  }
  return parts
}
