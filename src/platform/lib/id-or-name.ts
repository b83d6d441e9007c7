import { fold } from './text.ts'

/** Every number of up to 15 digits is exact as a JavaScript number; a longer one is no ID. */
const ID = /^\d{1,15}$/

export type IdOrName = {
  /** Null for a text that is no ID. */
  readonly id: number | null
  /** The text itself, trimmed: an object may be called by a number. */
  readonly name: string
  readonly nameFold: string
}

/** Whether the text, white space around it aside, is digits and nothing else, however many. */
export function isDigits(text: string): boolean {
  return /^\d+$/.test(text.trim())
}

/** 1 to 15 digits, with or without white space around them; null for any other text. */
export function parseId(text: string): number | null {
  const digits = text.trim()
  return ID.test(digits) ? Number(digits) : null
}

/** Reads a text that is an ID or a name. Whether digits may be a name too is for the caller to say. */
export function parseIdOrName(text: string): IdOrName {
  const name = text.trim()
  return { id: parseId(name), name, nameFold: fold(name) }
}

/** The objects that one request names. */
export type IdsAndNames = { readonly ids: readonly number[]; readonly names: readonly string[] }

/** Sorts texts into IDs and trimmed names, where digits are an ID and never a name. */
export function separateIds(texts: readonly string[]): { ids: number[]; names: string[] } {
  const parsed = texts.map(parseIdOrName)
  return {
    ids: parsed.flatMap(({ id }) => id ?? []),
    names: parsed.flatMap(({ id, name }) => (id === null ? [name] : [])),
  }
}

/** Unites the path, where digits are an ID and never a name, with `ids` and `names`; names are trimmed. */
export function uniteWithPath(given: {
  id_or_name?: string | undefined
  ids?: readonly number[] | undefined
  names?: readonly string[] | undefined
}): IdsAndNames {
  const path = separateIds(given.id_or_name === undefined ? [] : [given.id_or_name])
  return {
    ids: [...path.ids, ...(given.ids ?? [])],
    names: [...path.names, ...(given.names ?? []).map((name) => name.trim())],
  }
}
