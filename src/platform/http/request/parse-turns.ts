import { Turns } from '../../lib/turns.ts'

const turns = new Turns<null>(1)

/** Parses a long text when those before it are parsed, and with a pause in which all others are served. */
export function parseInTurn<Value>(parse: () => Value | Promise<Value>): Promise<Value> {
  return turns.run(null, async () => parse())
}
