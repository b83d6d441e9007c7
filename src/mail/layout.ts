/** Text for a mail in plain characters. Widths count characters; lines end in LF. */

/**
 * Breaks lines longer than `width` at blanks. Quoted lines, which begin with `>`, stay whole, and so do
 * words that are longer than a line.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('>') ? [line] : wrapLine(line, width)))
    .join('\n')
}

/**
 * A row of three columns: the first set to the right, all broken into as many lines as the longest
 * needs, long words included.
 */
export function tableRow(cells: readonly [string, string, string]): string {
  const [what, removed, added] = cells.map((cell, i) => wrapCell(cell, COLUMNS[i] ?? 0)) as [
    string[],
    string[],
    string[],
  ]
  const height = Math.max(what.length, removed.length, added.length)
  return Array.from({ length: height }, (_, i) => {
    const first = (what[i] ?? '').padStart(COLUMNS[0])
    return `${first}|${(removed[i] ?? '').padEnd(COLUMNS[1])}|${added[i] ?? ''}`.trimEnd()
  }).join('\n')
}

/** A line of a list of labels and values; a long value goes on below itself. */
export function labelled(label: string, value: string): string {
  const [first = '', ...rest] = wrapLine(value, LINE - LABEL)
  return [
    `${label.padStart(LABEL - 2)}: ${first}`,
    ...rest.map((line) => blank(LABEL) + line),
  ].join('\n')
}

/** Control characters, line breaks above all, become a blank. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}

export const LINE = 80
const LABEL = 21
const COLUMNS = [19, 28, 28] as const

export const RULE = '-'.repeat(COLUMNS[0] + COLUMNS[1] + COLUMNS[2] + 2)

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const before = rest.lastIndexOf(' ', width)
    // an indentation alone is no line: then the first word is too long and stays whole
    const at = rest.slice(0, before + 1).trim() === '' ? rest.indexOf(' ', width) : before
    if (at === -1) {
      break
    }
    lines.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at + 1)
  }
  return [...lines, rest]
}

function wrapCell(text: string, width: number): string[] {
  return wrapLine(text, width).flatMap((line) => {
    const characters = [...line]
    const count = Math.max(1, Math.ceil(characters.length / width))
    return Array.from({ length: count }, (_, i) =>
      characters.slice(i * width, (i + 1) * width).join(''),
    )
  })
}

function blank(width: number): string {
  return ' '.repeat(width)
}
