import { fault, invalidParameter, parameterMissing } from '../../platform/faults/fault.ts'
import { MAX_LIST_REASON } from '../../platform/http/operations/bounds.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import { MAX_LIST_ITEMS } from '../../platform/http/request/oversized.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { textOfAny } from '../../platform/lib/text.ts'

/**
 * Returns a function that puts the first item of a list into the parameter of the path, where the REST API has it.
 */
export function putFirstInPath(list: string, path: string): (given: Parameters) => Parameters {
  return (given) => {
    const items = itemsOfList(given[list])
    // what goes into the path is an item, too
    if (items.length > MAX_LIST_ITEMS) {
      throw invalidParameter(list, MAX_LIST_REASON)
    }
    const [first, ...others] = items
    if (first === undefined) {
      throw fault(parameterMissing, { field: list })
    }
    return { ...given, [path]: toText(first), [list]: others }
  }
}

/** Puts the first of `ids`, or else of `names`, into `id_or_name`. */
export function putFirstReferenceInPath(given: Parameters): Parameters {
  if (itemsOfList(given.ids).length > 0) {
    return putFirstInPath('ids', 'id_or_name')(given)
  }
  const moved = putFirstInPath('names', 'id_or_name')(given)
  if (isDigits(textOfAny(moved.id_or_name))) {
    throw invalidParameter('names', 'names something by digits; use ids')
  }
  return moved
}

/** Returns a function that gives a parameter the name that it has in the path. */
export function renameTo(path: string, name: string): (given: Parameters) => Parameters {
  return ({ [name]: value, ...others }) => {
    if (value === undefined || value === null || value === '') {
      throw fault(parameterMissing, { field: name })
    }
    return { ...others, [path]: toText(value) }
  }
}

/** The items of a list; a single value is a list of one, and null none. */
export function itemsOfList(value: unknown): unknown[] {
  return [value].flat().filter((item) => item !== undefined && item !== null)
}

function toText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}
