import type { Operation } from '../operations/operation.ts'

type Named = Pick<Operation, 'reference' | 'path' | 'method'>

/**
 * Names for generated clients, after the headings of the reference: `searchBugs`. Operations under one heading differ
 * by
 * what their paths have beyond the part that they share: `findUsers` and `findUsersByIdOrName`.
 */
export function nameOperations<Each extends Named>(
  operations: readonly Each[],
): ReadonlyMap<Each, string> {
  const groups = Map.groupBy(operations, ({ reference }) => reference)
  return new Map(
    [...groups].flatMap(([reference, members]) => {
      const shared = sharedStart(members.map(({ path }) => segmentsOf(path)))
      const name = camelCase(reference.replace(/^.*#/, '').replace(/(^|-)(?:an?|the)(?=-)/g, ''))
      return members.map((each) => {
        const rest = segmentsOf(each.path).slice(shared).join('-')
        return [each, rest === '' ? name : `${name}By${capitalize(camelCase(rest))}`] as const
      })
    }),
  )
}

function segmentsOf(path: string): string[] {
  return path
    .replace(/\{[^}]*\}/g, '')
    .split('/')
    .slice(1)
}

function sharedStart(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths
  const end = first.findIndex((segment, at) => paths.some((path) => path[at] !== segment))
  return end < 0 ? first.length : end
}

function camelCase(words: string): string {
  const [first = '', ...others] = words.match(/[a-z0-9]+/gi) ?? []
  return first + others.map(capitalize).join('')
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
