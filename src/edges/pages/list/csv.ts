import type { FileContent } from './file-content.ts'

/**
 * The columns under the names that programs know them by, or with `human` under those that people read. Whatever a
 * spreadsheet would run as a formula is marked as text.
 */
export async function* writeCsv({ bugs, columns, url }: FileContent) {
  const isForPeople = url.searchParams.get('human') === '1'
  yield writeRow(columns.map(({ name, label }) => (isForPeople ? label : name)))
  for await (const bug of bugs) {
    yield writeRow(columns.map(({ text }) => text(bug)))
  }
}

function writeRow(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`
}

const NUMBER = /^-?\d{1,15}(?:\.\d+)?$/

function quote(text: string): string {
  if (NUMBER.test(text)) {
    return text
  }
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
