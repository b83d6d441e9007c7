/** Text in columns; columns of numbers are aligned to the right. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [header, ...rows]
  const widths = header.map((_, n) => Math.max(...all.map((row) => row[n]?.length ?? 0)))
  const isNumber = header.map((_, n) => rows.every((row) => /^[\d.,]*$/.test(row[n] ?? '')))
  return all
    .map((row) =>
      row
        .map((cell, n) =>
          isNumber[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
