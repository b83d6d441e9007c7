import type { Parameters } from './app-env.ts'

/** Items of one list, and parameters of one request: about four times as many as fit into a query. */
export const MAX_LIST_ITEMS = 5000

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
