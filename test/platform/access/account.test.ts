import { describe, expect, test } from 'vitest'
import { type AccountRow, requireEnabledPerson } from '../../../src/platform/access/account.ts'

const row: AccountRow = {
  userId: 7,
  login: 'ann@example.test',
  realName: 'Ann [:ann]',
  nick: 'ann',
  loginDeniedText: '',
  lastSeenAt: null,
  groups: '[]',
}

describe('requireEnabledPerson', () => {
  test('makes a person without rights from an account without groups', () => {
    expect(requireEnabledPerson(row)).toEqual({
      kind: 'person',
      id: 7,
      login: 'ann@example.test',
      realName: 'Ann [:ann]',
      nick: 'ann',
      groups: new Set(),
      roles: new Set(),
    })
  })

  test('includes all groups, and the roles of those that have one', () => {
    const { groups, roles } = requireEnabledPerson({
      ...row,
      groups: '[[1,"admin"],[9,null],[4,"insider"]]',
    })
    expect(groups).toEqual(new Set([1, 9, 4]))
    expect(roles).toEqual(new Set(['admin', 'insider']))
  })

  test('rejects a disabled account with 301 and the reason', () => {
    expect(() => requireEnabledPerson({ ...row, loginDeniedText: 'Left in May.' })).toThrow(
      expect.objectContaining({ code: 301, message: expect.stringContaining('Left in May.') }),
    )
  })
})
