import type { Parameters } from './app-env.ts'

/** Items of one list, and parameters of one request: about four times as many as fit into a query. */
export const MAX_LIST_ITEMS = 5000

/** Characters that are parsed in a few milliseconds. */
const LONG_TEXT = 32 * 1024

/** Parses a text; a long one in its turn, which there is in the runtime alone: programs import this too. */
export async function parseBounded<Value>(
  length: number,
  parse: () => Value | Promise<Value>,
): Promise<Value> {
  if (length <= LONG_TEXT) {
    return parse()
  }
  const { parseInTurn } = await import('./parse-turns.ts')
  return parseInTurn(parse)
}

/**
 * Drops all but one more than a request may have of parameters, and of the items of their lists: it is refused for
 * these, and until then costs no more.
 */
export function cutOversized(parameters: Parameters): Parameters {
  const names: string[] = []
  for (const name in parameters) {
    cutLists(parameters[name])
    if (names.push(name) > MAX_LIST_ITEMS) {
      return Object.fromEntries(names.map((one) => [one, parameters[one]]))
    }
  }
  return parameters
}

/** A list, or the lists of an edit. */
function cutLists(value: unknown): void {
  for (const list of Array.isArray(value) ? [value] : listMembers(value)) {
    if (Array.isArray(list) && list.length > MAX_LIST_ITEMS) {
      list.length = MAX_LIST_ITEMS + 1
    }
  }
}

function listMembers(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
