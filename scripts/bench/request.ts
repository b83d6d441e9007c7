/** What a server is asked, without the credentials of a caller. */
export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: object
  /** The event of a code host, which signs the body. */
  event?: string
  /** Beside those of the caller. */
  headers?: Record<string, string>
}

/** The cells of a table that is written as text: a row for each line, with ` | ` between cells. */
export function readTable(text: string): string[][] {
  const lines = text.trim().split('\n')
  return lines.map((line) => line.split(/(?:^|\s)\|\s/).map((cell) => cell.trim()))
}

/** Puts values into a path, for their names in braces. Throws for a name without a value. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) {
      throw new Error(`There is no ${name} for ${path}`)
    }
    return encodeURIComponent(String(values[name]))
  })
}
