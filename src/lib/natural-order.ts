import { fold } from './text.ts'

/**
 * Items sorted by name as people read names: runs of digits compare as numbers, letters without
 * regard to case, so `2.0` stands before `10.0`. Names that differ in nothing else keep one order.
 */
export function inNaturalOrder<Item extends { readonly name: string }>(
  items: readonly Item[],
): Item[] {
  return items
    .map((item) => ({ item, runs: runsOf(item.name) }))
    .sort((a, b) => byRuns(a.runs, b.runs) || byText(a.item.name, b.item.name))
    .map(({ item }) => item)
}

function runsOf(name: string): string[] {
  return fold(name).match(/\d+|\D+/g) ?? []
}

function byRuns(a: readonly string[], b: readonly string[]): number {
  for (const [place, run] of a.entries()) {
    const other = b[place]
    if (other === undefined) {
      return 1
    }
    const difference = isNumber(run) && isNumber(other) ? byNumber(run, other) : byText(run, other)
    if (difference !== 0) {
      return difference
    }
  }
  return a.length - b.length
}

function isNumber(run: string): boolean {
  return /^\d/.test(run)
}

/** Build numbers may be longer than a double can tell apart, so digits are compared as text. */
function byNumber(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return x.length - y.length || byText(x, y)
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
