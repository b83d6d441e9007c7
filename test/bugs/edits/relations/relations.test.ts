import { describe, expect, test } from 'vitest'
import { MOST_LINKS } from '../../../../src/bugs/edits/relations/loops.ts'
import { decideNewRelations } from '../../../../src/bugs/edits/relations/relations.ts'

const caller = { kind: 'system' } as const
const input = { depends_on: ['1'] }
const named = [{ place: 0, id: 1, isVisible: 1 }]

function chain(links: number) {
  return Array.from({ length: links }, (_, i) => ({ from: i + 1, to: i + 2 }))
}

describe('the links around the bugs of a request', () => {
  test('are looked through as long as they are not too many', () => {
    const dependencies = chain(MOST_LINKS)
    expect(decideNewRelations(caller, input, { named, dependencies })).toHaveLength(1)
  })

  test('are refused when they are', () => {
    const dependencies = chain(MOST_LINKS + 1)
    expect(() => decideNewRelations(caller, input, { named, dependencies })).toThrow(
      expect.objectContaining({ code: 32000 }),
    )
  })
})
