/** The columns of a table: what each shows of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>

/** Text in columns. Numbers are rounded to what matters and aligned to the right; null is empty. */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const formatted = Object.entries(columns).map(([name, show]) => {
    const cells = rows.map(show)
    const isNumber = cells.every((cell) => typeof cell !== 'string')
    const texts = [name, ...cells.map(formatCell)]
    const width = Math.max(...texts.map(({ length }) => length))
    return texts.map((text) => (isNumber ? text.padStart(width) : text.padEnd(width)))
  })
  return ['', ...rows]
    .map((_, line) =>
      formatted
        .map((texts) => texts[line])
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatCell(cell: string | number | null): string {
  if (typeof cell !== 'number') {
    return cell ?? ''
  }
  return Number.isInteger(cell) ? `${cell}` : cell.toFixed(Math.abs(cell) < 100 ? 2 : 0)
}

/** Shows one line that a terminal overwrites; other outputs get it at the end only. */
export function startProgress(title: string): { update(state: string): void; end(): void } {
  const isTerminal = process.stderr.isTTY === true
  return {
    update(state) {
      process.stderr.write(isTerminal ? `\r${title}: ${state.padEnd(60)}` : '')
    },
    end() {
      process.stderr.write(
        `${isTerminal ? '\r' : ''}${title}: done${' '.repeat(isTerminal ? 60 : 0)}\n`,
      )
    },
  }
}
