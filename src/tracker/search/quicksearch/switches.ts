import type { Word } from './tokenize.ts'

/** Where plain words look in addition to the fields that they always look into. */
export type Switches = { readonly comments: boolean; readonly description: boolean }

const SWITCH = /^(\+\+|--)(comment|description)s?$/i

/**
 * What `++comments`, `--comments`, `++description` and `--description` switch on and off, and the words
 * without them; the last one of a kind counts. Reference: search.md, "Quicksearch".
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
