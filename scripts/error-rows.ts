import { type AnyFault, describeFault } from '../src/platform/faults/fault.ts'

/** The rows of "Table of errors": every fault by its number, with its sentence, details in braces. */
export function errorRows(kinds: readonly AnyFault[]): string {
  return kinds
    .toSorted(
      (a, b) =>
        Math.abs(a.code) - Math.abs(b.code) || b.code - a.code || a.name.localeCompare(b.name),
    )
    .map((kind) => {
      const sentence = describeFault(kind).replaceAll('|', '\\|')
      return `| ${kind.code} | ${kind.status} | \`${kind.name}\` | ${sentence} |\n`
    })
    .join('')
}
