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

/** The objects that a path, `ids` and `names` name. */
export type NamedWithPath = IdsAndNames & {
  /** Whether the path is the first of the names rather than of the IDs. */
  readonly pathIsName: boolean
}

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
}): NamedWithPath {
  const path = separateIds(given.id_or_name === undefined ? [] : [given.id_or_name])
  return {
    ids: [...path.ids, ...(given.ids ?? [])],
    names: [...path.names, ...(given.names ?? []).map((name) => name.trim())],
    pathIsName: path.names.length > 0,
  }
}

/** The first ID or name that no row has, as it was given; IDs are ahead of names. */
export function findUnknown(
  { ids, names }: IdsAndNames,
  rows: readonly { readonly id: number; readonly name: string }[],
): string | undefined {
  const knownIds = new Set(rows.map(({ id }) => id))
  const knownNames = new Set(rows.map(({ name }) => fold(name)))
  const unknown =
    ids.find((id) => !knownIds.has(id)) ?? names.find((name) => !knownNames.has(fold(name)))
  return unknown?.toString()
}

/** The rows in the order path, `ids`, `names`, each once; what no row has is left out. */
export function orderAsNamed<Row extends { readonly id: number; readonly name: string }>(
  { ids, names, pathIsName }: NamedWithPath,
  rows: readonly Row[],
): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byName = new Map(rows.map((row) => [fold(row.name), row]))
  const foundByName = names.map((name) => byName.get(fold(name)))
  const foundById = ids.map((id) => byId.get(id))
  const [first, ...others] = foundByName
  const found = pathIsName ? [first, ...foundById, ...others] : [...foundById, ...foundByName]
  return [...new Set(found)].filter((row) => row !== undefined)
}
