import type { WorldBug } from '../world.ts'
import type { Sight } from './sight.ts'
import { foldText, isWordCharacter } from './texts.ts'
import type { Truth } from './truth.ts'

type Term = {
  readonly sign: '+' | '-' | ''
  /** Words that follow each other. */
  readonly words: readonly string[]
  /** The last word may go on. */
  readonly isPrefix: boolean
}

/** Whether the summary and the visible comments fulfil the terms of a full-text search. */
export function matchesContent(value: string, bug: WorldBug, sight: Sight): Truth {
  const terms = readTerms(value)
  if (terms.length === 0) {
    return null
  }
  const texts = [bug.summary, ...sight.comments(bug).map(({ body }) => body)].map(wordsOf)
  const isFound = (term: Term) => texts.some((words) => hasPhrase(words, term))
  const signed = (sign: Term['sign']) => terms.filter((term) => term.sign === sign)
  const required = signed('+')
  return (
    !signed('-').some(isFound) &&
    (required.length > 0 ? required.every(isFound) : signed('').some(isFound))
  )
}

/** A quoted phrase is one term; each word of an unquoted one is a term of its own. */
function readTerms(value: string): Term[] {
  return [...value.matchAll(/([+-]?)(?:"([^"]*)"|([^\s"]+))/g)].flatMap(
    ([, sign = '', phrase, bare = '']) => {
      const make = (words: string[], isPrefix: boolean) => ({
        sign: sign as Term['sign'],
        words,
        isPrefix,
      })
      if (phrase !== undefined) {
        const words = wordsOf(phrase)
        return words.length === 0 ? [] : [make(words, false)]
      }
      const words = wordsOf(bare)
      return words.map((word, n) => make([word], bare.endsWith('*') && n === words.length - 1))
    },
  )
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (const character of [...foldText(text), ' ']) {
    if (isWordCharacter(character)) {
      word += character
    } else if (word !== '') {
      words.push(word)
      word = ''
    }
  }
  return words
}

function hasPhrase(text: readonly string[], { words, isPrefix }: Term): boolean {
  return text.some((_, start) =>
    words.every((word, n) => {
      const met = text[start + n] ?? ''
      return isPrefix && n === words.length - 1 ? met.startsWith(word) : met === word
    }),
  )
}
