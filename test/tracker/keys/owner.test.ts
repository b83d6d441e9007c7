import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { resolveOtherOwner } from '../../../src/tracker/keys/owner.ts'
import { buildCaller } from '../../support/builders/callers.ts'

const personWith = (...roles: Role[]) => buildCaller({ id: 7, login: 'Ann@example.test' }, roles)

describe('the keys that a call is about', () => {
  test.each([undefined, '', '  ', 'Ann@example.test', ' ANN@EXAMPLE.TEST '])(
    'are the caller’s own for %j',
    (user) => {
      expect(resolveOtherOwner(personWith(), user)).toBeNull()
    },
  )

  test('are those of another account for people with editusers', () => {
    expect(resolveOtherOwner(personWith('editusers'), ' Bob@Example.test ')).toBe(
      'bob@example.test',
    )
  })

  test.each<[string, Caller, string | undefined, number]>([
    ['another account’s for who may not edit users', personWith('insider'), 'bob', 304],
    ['anybody’s for callers who have not logged in', ANONYMOUS, undefined, 410],
  ])('are not %s', (_, caller, user, code) => {
    expect(() => resolveOtherOwner(caller, user)).toThrow(expect.objectContaining({ code }))
  })
})
