/** Layout of plain text mails. Widths are in characters; lines end in LF. */

/**
 * Breaks lines longer than `width` at spaces. Quoted lines, which begin with `>`, and words longer than a line
 * stay whole.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('>') ? [line] : wrapLine(line, width)))
    .join('\n')
}

/**
 * A row of a table of three columns, the first of which is aligned right. Cells have lines of their own; they break
 * at spaces, and within words that are longer than their column.
 */
export function formatTableRow(cells: readonly [string, string, string]): string {
  const [what, removed, added] = cells.map((cell, i) => wrapCell(cell, COLUMN_WIDTHS[i] ?? 0)) as [
    string[],
    string[],
    string[],
  ]
  const height = Math.max(what.length, removed.length, added.length)
  return Array.from({ length: height }, (_, i) => {
    const first = (what[i] ?? '').padStart(COLUMN_WIDTHS[0])
    return `${first}|${(removed[i] ?? '').padEnd(COLUMN_WIDTHS[1])}|${added[i] ?? ''}`.trimEnd()
  }).join('\n')
}

/** A label and its value, which is wrapped and indented when it is long. */
export function formatField(label: string, value: string): string {
  const [first = '', ...rest] = value
    .split('\n')
    .flatMap((line) => wrapLine(line, LINE_WIDTH - LABEL_WIDTH))
  return [
    `${label.padStart(LABEL_WIDTH - 2)}: ${first}`,
    ...rest.map((line) => ' '.repeat(LABEL_WIDTH) + line),
  ].join('\n')
}

/** Makes one clean line: control characters, above all line breaks, and runs of blanks become one space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** The page on which people choose their mail. */
export function preferencesUrl(baseUrl: string): string {
  return `${baseUrl}/account?tab=mail`
}

export const LINE_WIDTH = 80

/** Every mail says so: the service has no mailbox. */
export const REPLIES_UNREAD = 'Replies to this mail are not read.'

const LABEL_WIDTH = 21
const COLUMN_WIDTHS = [19, 28, 28] as const

export const TABLE_RULE = '-'.repeat(COLUMN_WIDTHS[0] + COLUMN_WIDTHS[1] + COLUMN_WIDTHS[2] + 2)

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const lastSpace = rest.lastIndexOf(' ', width)
    // do not break in the indentation: the word behind it is too long and stays whole
    const at = rest.slice(0, lastSpace + 1).trim() === '' ? rest.indexOf(' ', width) : lastSpace
    if (at === -1) {
      break
    }
    lines.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at + 1)
  }
  return [...lines, rest]
}

function wrapCell(text: string, width: number): string[] {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .flatMap((line) => {
      const characters = [...line]
      const count = Math.max(1, Math.ceil(characters.length / width))
      return Array.from({ length: count }, (_, i) =>
        characters.slice(i * width, (i + 1) * width).join(''),
      )
    })
}
