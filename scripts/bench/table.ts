/** The columns of a table: what each shows of a row. A number that is not known is NaN, and is not shown. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number>>

/** Text in columns. Numbers are rounded to what matters and aligned to the right. */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const formatted = Object.entries(columns).map(([name, show]) => {
    const cells = rows.map(show)
    const isNumber = cells.every((cell) => typeof cell === 'number')
    const texts = [name, ...cells.map(formatCell)]
    const width = Math.max(...texts.map(({ length }) => length))
    return texts.map((text) => (isNumber ? text.padStart(width) : text.padEnd(width)))
  })
  const lines = ['', ...rows].map((_, n) => formatted.map((texts) => texts[n]).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** The same as HTML: behind each number a bar, as long as it is large in its column. */
export function renderTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const heads = Object.keys(columns).map((name) => `<th>${name}`)
  const most = Object.values(columns).map((show) =>
    Math.max(...rows.map((row) => Number(show(row))).filter(Number.isFinite)),
  )
  const body = rows.map((row) => {
    const cells = Object.values(columns).map((show, n) => {
      const cell = show(row)
      const share = typeof cell === 'number' ? (cell / (most[n] || 1)) * 100 : 0
      return `<td style="--bar:${share.toFixed(1)}%">${formatCell(cell).replaceAll('<', '&lt;')}`
    })
    return `<tr>${cells.join('')}`
  })
  return `<table><tr>${heads.join('')}\n${body.join('\n')}</table>`
}

function formatCell(cell: string | number): string {
  if (typeof cell === 'string' || Number.isInteger(cell)) {
    return `${cell}`
  }
  return Number.isFinite(cell) ? cell.toFixed(Math.abs(cell) < 100 ? 2 : 0) : ''
}

/** How often each text is there. */
export function countEach(texts: readonly (string | number)[]): string {
  return [...Map.groupBy(texts, String)].map(([text, all]) => `${all.length} x ${text}`).join(', ')
}

/** Shows one line that a terminal overwrites; other outputs get it at the end only. */
export function startProgress(title: string) {
  const isTerminal = process.stderr.isTTY === true
  const write = (state: string) => `\r${title}: ${state.padEnd(60)}`
  return {
    update: (state: string) => isTerminal && process.stderr.write(write(state)),
    end: () => process.stderr.write(isTerminal ? `${write('done')}\n` : `${title}: done\n`),
  }
}
