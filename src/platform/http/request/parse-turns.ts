import { Turns } from '../../load/turns.ts'

/** Characters that are parsed in a few milliseconds. */
const LONG_TEXT = 64 * 1024

const turns = new Turns<null>(1)

/** Parses a text; a long one when those before it are parsed, and with a pause in which all others are served. */
export async function parseInTurn<Value>(
  length: number,
  parse: () => Value | Promise<Value>,
): Promise<Value> {
  return length <= LONG_TEXT ? parse() : turns.run(null, async () => parse())
}
