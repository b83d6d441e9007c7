import type { ReaderName } from '../stored-world.ts'

/** A search for bugs of the reef: one condition as text, or several; `!` negates one of a `sameRow`. */
export type Search =
  | string
  | readonly ['not', Search]
  | readonly ['all' | 'any' | 'sameRow', ...Search[]]

/**
 * Who searches, for what, and the letters of the bugs that are found. Behind a minus stand the letters of
 * those that are not found, of the bugs that the reader sees.
 */
export type Rule = readonly [reader: ReaderName, search: Search, found: string]

/** The bugs that each reader sees. */
const VISIBLE: Readonly<Record<ReaderName, string>> = {
  anyone: 'abcdefghijklmnopqrstuv',
  bob: 'abcdefghijklmnopqrstuvx',
  Carol: 'abcdefghijklmnopqrstuvwxy',
  'bob.carol': 'abcdefghijklmnopqrstuvwxy',
  zoë: 'abcdefghijklmnopqrstuvw',
  tim: 'abcdefghijklmnopqrstuvy',
  ines: 'abcdefghijklmnopqrstuv',
  ada: 'abcdefghijklmnopqrstuv',
}

export function expectedLetters([reader, , found]: Rule): string {
  return found.startsWith('-')
    ? [...VISIBLE[reader]].filter((letter) => !found.includes(letter)).join('')
    : found
}
