import { pages } from '../../reference/pages.ts'

/** The fields of the Bug object by the word of the reference, without custom ones. */
export const DEFAULT_FIELDS = fieldsUnder('Default fields')
export const EXTRA_FIELDS = fieldsUnder('Extra fields')

function fieldsUnder(heading: string): string[] {
  const [, behind = ''] = (pages['bugs.md'] ?? '').split(`### ${heading}\n`)
  const [section = ''] = behind.split('\n#')
  const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell)
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}
