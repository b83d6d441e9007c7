import { parseEnv } from 'node:util'
import { CommandError } from './command.ts'

const LINE_BREAK = /\r?\n/

/** Blank, a comment, or `NAME=value`, whose quotes end in the same line. */
const LINE =
  /^\s*(#.*|(export\s+)?[\w.-]+\s*=\s*(("[^"]*"|'[^']*'|`[^`]*`)\s*(#.*)?|[^"'`\s].*)?)?$/

/**
 * The settings of a file of lines `NAME=value`. Throws a CommandError that names the first line of another form, and
 * tells no value: what reads such files would drop it, and a dropped setting could make a tracker public. So would the
 * first of two lines with one name.
 */
export function parseSettings(text: string, file: string): Record<string, string> {
  if (text.startsWith('\uFEFF')) {
    throw new CommandError(`${file} begins with a byte order mark: save it as UTF-8 without one.`)
  }
  const lines = text.split(LINE_BREAK)
  const settings = parseEnv(text) as Record<string, string>
  const wrong = lines.findIndex((line) => !(LINE.test(line) && isRead(nameIn(line), settings)))
  if (wrong >= 0) {
    const name = nameIn(lines[wrong] ?? '')
    const what = name === undefined ? '' : `, ${name},`
    throw new CommandError(`${file}: line ${wrong + 1}${what} must be NAME=value.`)
  }
  const names = lines.map(nameIn)
  const again = names.findIndex((name, n) => name !== undefined && names.indexOf(name) < n)
  if (again >= 0) {
    const name = names[again]
    const first = names.indexOf(name) + 1
    throw new CommandError(`${file}: line ${again + 1}, ${name}, is in line ${first} already.`)
  }
  return settings
}

/** A line without a name is read; one that sets `__proto__` is not. */
function isRead(name: string | undefined, settings: Record<string, string>): boolean {
  return name === undefined || Object.hasOwn(settings, name)
}

/** The number of the line that sets a name. */
export function lineOf(text: string, name: string): number {
  return text.split(LINE_BREAK).map(nameIn).indexOf(name) + 1
}

function nameIn(line: string): string | undefined {
  return /^\s*(?:export\s+)?([\w.-]+)/.exec(line)?.[1]
}
