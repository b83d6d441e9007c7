import { describe, expect, test } from 'vitest'
import { Fault } from '../../../src/platform/faults/fault.ts'
import { hasNoRefs, orderGroups, parseGroupRefs } from '../../../src/tracker/groups/group-refs.ts'

const rows = [
  { id: 1, name: 'One' },
  { id: 2, name: 'Two' },
  { id: 3, name: '3' },
]

describe('the groups of a call', () => {
  test.each([
    ['a path of digits is an ID', { id_or_name: '2' }, [2]],
    ['any other path is a name, in either case', { id_or_name: ' oNE ' }, [1]],
    ['a name of digits is found among the names', { names: ['3', 'two'] }, [3, 2]],
    ['the path stands first', { id_or_name: 'two', ids: [3, 2], names: ['one'] }, [2, 3, 1]],
    ['IDs stand before names', { ids: [3], names: ['one', 'two'] }, [3, 1, 2]],
    ['each stands once', { id_or_name: '1', ids: [1, 2], names: ['TWO', 'one'] }, [1, 2]],
    ['what is not found is left out', { ids: [9, 1], names: ['nine'] }, [1]],
  ])('%s', (_, input, found) => {
    expect(orderGroups(parseGroupRefs(input), rows).map(({ id }) => id)).toEqual(found)
  })

  test('are all when none is named', () => {
    expect(hasNoRefs(parseGroupRefs({}))).toBe(true)
    expect(hasNoRefs(parseGroupRefs({ ids: [], names: [] }))).toBe(true)
    expect(hasNoRefs(parseGroupRefs({ names: ['x'] }))).toBe(false)
  })

  test.each(['0', '00', '1234567890123456'])('are refused for %s, which is no ID', (digits) => {
    expect(() => parseGroupRefs({ id_or_name: digits })).toThrow(Fault)
  })
})
