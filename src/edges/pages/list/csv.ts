import type { FileContent } from './file-content.ts'

/**
 * The columns under the names that programs know them by, or with `human` under those that people read. Whatever a
 * spreadsheet would run as a formula is marked as text.
 */
export function writeCsv({ bugs, columns, url }: FileContent): string {
  const isForPeople = url.searchParams.get('human') === '1'
  const head = columns.map(({ name, label }) => quote(isForPeople ? label : name))
  const rows = bugs.map((bug) => columns.map(({ text }) => quote(text(bug))))
  return [head, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
}

const NUMBER = /^-?\d{1,15}(?:\.\d+)?$/

function quote(text: string): string {
  if (NUMBER.test(text)) {
    return text
  }
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
