import type { SearchConfiguration } from '../configuration.ts'

const PRIORITY = /^p(\d+)(?:-(\d+))?$/i

/**
 * The priorities that a text such as `P1` or `P2-4` stands for: by their names, else by their places in the
 * configured order, of which `P0` is the first too. None when there is no such priority; undefined for
 * other texts.
 */
export function findPriorities(
  text: string,
  configuration: SearchConfiguration,
): readonly string[] | undefined {
  const [, first, last] = PRIORITY.exec(text) ?? []
  if (first === undefined) {
    return undefined
  }
  const ends = [Number(first), Number(last ?? first)]
  const [from, to] = [Math.min(...ends), Math.max(...ends)]
  const named = configuration.priorities.filter((name) => {
    const number = Number(/^p(\d+)$/i.exec(name)?.[1] ?? Number.NaN)
    return number >= from && number <= to
  })
  return named.length > 0
    ? named
    : configuration.priorities.slice(Math.max(from, 1) - 1, Math.max(to, 1))
}
