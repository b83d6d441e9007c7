import { describe, expect, test } from 'vitest'
import { MAX_WALKED_LINKS } from '../../../../../src/tracker/bugs/edits/relations/loops.ts'
import { decideNewRelations } from '../../../../../src/tracker/bugs/edits/relations/relations.ts'

const caller = { kind: 'system' } as const
const input = { depends_on: ['1'] }
const named = [{ place: 0, id: 1, isVisible: 1 }]

function chain(links: number) {
  return Array.from({ length: links }, (_, i) => ({ from: i + 1, to: i + 2 }))
}

describe('POST /bug with relations', () => {
  test('follows the links around the bugs up to a limit', () => {
    const dependencies = chain(MAX_WALKED_LINKS)
    expect(decideNewRelations(caller, input, { named, dependencies })).toHaveLength(1)
  })

  test('rejects relations with 32000 when there are more links around the bugs', () => {
    const dependencies = chain(MAX_WALKED_LINKS + 1)
    expect(() => decideNewRelations(caller, input, { named, dependencies })).toThrow(
      expect.objectContaining({ code: 32000 }),
    )
  })
})
