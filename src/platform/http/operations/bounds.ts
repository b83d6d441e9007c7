import { type Fault, invalidParameter } from '../../faults/fault.ts'
import type { Parameters } from '../request/app-env.ts'
import { MAX_LIST_ITEMS } from '../request/oversized.ts'

/**
 * What refuses a request by any protocol for a list that is too long, before any of its items is parsed. Shapes and
 * verbs have narrower limits for what they do with the items.
 */
export function findOversized(parameters: Parameters): Fault | undefined {
  const names = Object.keys(parameters)
  const beyond = names[MAX_LIST_ITEMS]
  if (beyond !== undefined) {
    return invalidParameter(beyond, `is one too many; a request may have ${MAX_LIST_ITEMS}`)
  }
  for (const name of names) {
    const path = findLongList(parameters[name], name)
    if (path !== undefined) {
      return invalidParameter(path, MAX_LIST_REASON)
    }
  }
  return undefined
}

export const MAX_LIST_REASON = `may hold at most ${MAX_LIST_ITEMS} items`

/** The path of a list that is too long: a parameter, or a member of one, such as of an edit set. */
function findLongList(value: unknown, path: string): string | undefined {
  if (Array.isArray(value)) {
    return value.length > MAX_LIST_ITEMS ? path : undefined
  }
  if (typeof value !== 'object' || value === null) {
    return undefined
  }
  const [long] =
    Object.entries(value).find(
      ([, member]) => Array.isArray(member) && member.length > MAX_LIST_ITEMS,
    ) ?? []
  return long === undefined ? undefined : `${path}.${long}`
}
