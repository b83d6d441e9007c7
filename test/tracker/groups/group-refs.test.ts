import { describe, expect, test } from 'vitest'
import { Fault } from '../../../src/platform/faults/fault.ts'
import { hasNoRefs, parseGroupRefs } from '../../../src/tracker/groups/group-refs.ts'

describe('the groups of a call', () => {
  test('are all when none is named', () => {
    expect(hasNoRefs(parseGroupRefs({}))).toBe(true)
    expect(hasNoRefs(parseGroupRefs({ ids: [], names: [] }))).toBe(true)
    expect(hasNoRefs(parseGroupRefs({ names: ['x'] }))).toBe(false)
  })

  test.each(['0', '00', '1234567890123456'])('are refused for %s, which is no ID', (digits) => {
    expect(() => parseGroupRefs({ id_or_name: digits })).toThrow(Fault)
  })
})
