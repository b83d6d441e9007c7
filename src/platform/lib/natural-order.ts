import { fold } from './text.ts'

/**
 * Sorts items by name as people read names: runs of digits compare as numbers and case does not count, so
 * that `2.0` stands before `10.0`. Names that are equal in that order are sorted by their code units.
 */
export function sortInNaturalOrder<Item extends { readonly name: string }>(
  items: readonly Item[],
): Item[] {
  return items
    .map((item) => ({ item, runs: splitRuns(item.name) }))
    .sort((a, b) => compareRuns(a.runs, b.runs) || compareTexts(a.item.name, b.item.name))
    .map(({ item }) => item)
}

function splitRuns(name: string): string[] {
  return fold(name).match(/\d+|\D+/g) ?? []
}

function compareRuns(a: readonly string[], b: readonly string[]): number {
  for (const [index, run] of a.entries()) {
    const other = b[index]
    if (other === undefined) {
      return 1
    }
    const difference =
      isNumber(run) && isNumber(other) ? compareNumbers(run, other) : compareTexts(run, other)
    if (difference !== 0) {
      return difference
    }
  }
  return a.length - b.length
}

function isNumber(run: string): boolean {
  return /^\d/.test(run)
}

/** Compares digits as text, because build numbers may have more digits than a double holds. */
function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return x.length - y.length || compareTexts(x, y)
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
