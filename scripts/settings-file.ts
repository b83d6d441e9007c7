import { parseEnv } from 'node:util'
import { CommandError } from './command.ts'

/** Blank, a comment, or `NAME=value`, whose quotes end in the same line. */
const LINE =
  /^\s*(#.*|(export\s+)?[\w.-]+\s*=\s*(("[^"]*"|'[^']*'|`[^`]*`)\s*(#.*)?|[^"'`\s].*)?)?$/

/**
 * The settings of a file of lines `NAME=value`. Throws a CommandError that names the first line of another form, and
 * tells no value: what reads such files would drop it, and a dropped setting could make a tracker public.
 */
export function parseSettings(text: string, file: string): Record<string, string> {
  const lines = text.split(/\r?\n/)
  const wrong = lines.findIndex((line) => !LINE.test(line))
  if (wrong >= 0) {
    const name = /^\s*(export\s+)?([\w.-]+)/.exec(lines[wrong] ?? '')?.[2]
    const what = name === undefined ? '' : `, ${name},`
    throw new CommandError(`${file}: line ${wrong + 1}${what} must be NAME=value.`)
  }
  return parseEnv(text) as Record<string, string>
}
