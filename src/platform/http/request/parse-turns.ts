import { Turns } from '../../load/turns.ts'

/** Characters with few parameters: what thousands of them take together, from here to the answer, is 50 ms. */
const LONG_TEXT = 4 * 1024

const turns = new Turns<string | null>(1)

/**
 * Parses a text; a long one in rounds with one of each network, when those before it are parsed, and with a pause in
 * which all others are served.
 */
export async function parseInTurn<Value>(
  network: string | null,
  length: number,
  parse: () => Value | Promise<Value>,
): Promise<Value> {
  return length <= LONG_TEXT ? parse() : turns.run(network, async () => parse())
}
