import { fault, notACount } from '../../platform/faults/fault.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import type { PageSize } from './shapes.ts'

/** Characters of a long text that a model gets unless it asks for more. */
export const TEXT_LENGTH = 3000
/** More than any text of a bug has. */
const MAX_TEXT_LENGTH = 100_000
/** Items of a list within a bug. */
const LIST_LENGTH = 100
/** Characters of one result, about a quarter as many tokens; a list ends before it would be longer. */
const RESULT_LENGTH = 40_000

/** A number among the arguments, `normal` without it or for 0, but no more than `most`. */
export function readCount(
  given: Parameters,
  name: string,
  { normal, most }: { normal: number; most: number },
): number {
  const value = given[name] ?? normal
  const count = typeof value === 'number' ? value : Number.parseInt(String(value), 10)
  if (!Number.isSafeInteger(count) || count < 0 || String(count) !== String(value).trim()) {
    throw fault(notACount, { field: name, value: String(value).slice(0, 100) })
  }
  return Math.min(count || normal, most)
}

/** How many items or characters to skip. */
export function readOffset(given: Parameters): number {
  return readCount(given, 'offset', { normal: 0, most: Number.MAX_SAFE_INTEGER })
}

/** The items of one page, and what the others are and how to get them. */
export function takePage<Item>(
  items: readonly Item[],
  given: Parameters,
  size: PageSize,
): { items: Item[]; note?: string } {
  const offset = readOffset(given)
  const limit = readCount(given, 'limit', size)
  const page = takeFitting(items.slice(offset, offset + limit))
  const end = offset + page.length
  if (page.length === items.length) {
    return { items: page }
  }
  const shown =
    page.length === 0 ? `None of ${items.length}` : `${offset + 1} to ${end} of ${items.length}`
  const rest = end < items.length ? ` For more, call again with offset ${end}.` : ''
  return { items: page, note: `${shown} ${size.what}.${rest}` }
}

/** As many items as fit into a result, but at least one. */
export function takeFitting<Item>(items: readonly Item[]): Item[] {
  let length = 0
  const end = items.findIndex((item, index) => {
    length += JSON.stringify(item).length
    return length > RESULT_LENGTH && index > 0
  })
  return items.slice(0, end === -1 ? items.length : end)
}

/** Cuts every long text within a value, and says so in its place. */
export function shortenTexts(value: unknown, length: number): unknown {
  if (typeof value === 'string') {
    return shortenText(value, length)
  }
  if (Array.isArray(value)) {
    return value.map((item) => shortenTexts(item, length))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, shortenTexts(member, length)]),
    )
  }
  return value
}

function shortenText(text: string, length: number): string {
  const left = text.length - length
  return left <= 0
    ? text
    : `${text.slice(0, length).toWellFormed()} [${left} more characters; ask with text_length ${text.length}]`
}

/** The members of an object, long lists cut, with a note of what was left out and where to find it. */
export function cutLists(object: Parameters, whole: string): { object: Parameters; note?: string } {
  const long = Object.entries(object).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > LIST_LENGTH ? [[name, value] as const] : [],
  )
  if (long.length === 0) {
    return { object }
  }
  const cut = Object.fromEntries(long.map(([name, list]) => [name, list.slice(0, LIST_LENGTH)]))
  const counts = long.map(([name, { length }]) => `${name} has ${length} items`).join(', ')
  return {
    object: { ...object, ...cut },
    note: `${counts}, of which the first ${LIST_LENGTH} are here. ${whole} has all.`,
  }
}

/** The members that say something: without empty texts and lists, and null. */
export function omitEmpty(object: object): Parameters {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}

/** Objects without empty members, long texts cut. */
export function shortenObjects(objects: readonly object[], given: Parameters): unknown[] {
  const length = readTextLength(given)
  return objects.map((object) => shortenTexts(omitEmpty(object), length))
}

export function readTextLength(given: Parameters, normal = TEXT_LENGTH): number {
  return readCount(given, 'text_length', { normal, most: MAX_TEXT_LENGTH })
}
