import type { SearchParameters } from '../context.ts'

/** The parameters of a search by their names in lower case, with their trimmed values. */
export type GivenParameters = ReadonlyMap<string, readonly string[]>

/** The parameters by lower-case names; spellings of one name are joined. */
export function readGiven(parameters: SearchParameters): GivenParameters {
  const given = new Map<string, readonly string[]>()
  for (const [name, values = []] of Object.entries(parameters)) {
    const key = name.trim().toLowerCase()
    given.set(key, [...(given.get(key) ?? []), ...values.map((value) => value.trim())])
  }
  return given
}

/** The values that are not blank. */
export function textsOf(given: GivenParameters, name: string): string[] {
  return (given.get(name) ?? []).filter((value) => value !== '')
}

/** The first value that is not blank, or the empty text. */
export function firstText(given: GivenParameters, name: string): string {
  return textsOf(given, name)[0] ?? ''
}

/** Any text but `0` and `false` sets a flag. */
export function isOn(given: GivenParameters, name: string): boolean {
  return !['', '0', 'false'].includes(firstText(given, name).toLowerCase())
}

/**
 * The numbers in the names of parameters, such as `[1]` of `f1` and `[-1, 0, 1]` of `field-1-0-1`, with the
 * name's end as it was written; in numeric order.
 */
export function findNumbered(
  given: GivenParameters,
  pattern: RegExp,
): { readonly end: string; readonly numbers: readonly number[] }[] {
  return [...given.keys()]
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map((end) => ({ end, numbers: (end.match(/^-?\d+|\d+/g) ?? []).map(Number) }))
    .toSorted((a, b) => compareNumbers(a.numbers, b.numbers))
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((number, at) => number !== b[at])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}
