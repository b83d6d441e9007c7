import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  ANONYMOUS,
  assertLoggedIn,
  assertRole,
  type Caller,
  canTrackTime,
  hasRole,
  isInsider,
  isMember,
  type Person,
  SYSTEM,
  type ViewerRights,
  viewerRights,
} from '../../../src/platform/access/caller.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { buildCaller } from '../../support/builders/callers.ts'

function buildPersonIn(...roles: Role[]): Person {
  const somebody = buildCaller({ id: 7, login: 'somebody@example.test' }, roles)
  return { ...somebody, groups: new Set([3]) }
}

function codeOf(attempt: () => unknown): unknown {
  try {
    attempt()
    return 'allowed'
  } catch (error) {
    return (error as { code?: number }).code
  }
}

describe('assertLoggedIn', () => {
  test('returns a person', () => {
    const somebody = buildPersonIn()
    expect(assertLoggedIn(somebody)).toBe(somebody)
  })

  test.each<[Caller, number]>([
    [ANONYMOUS, 410],
    [SYSTEM, 410],
  ])('of %j: %s', (caller, code) => {
    expect(codeOf(() => assertLoggedIn(caller))).toBe(code)
  })
})

describe('assertRole', () => {
  test.each<[string, Caller, unknown]>([
    ['a member', buildPersonIn('insider', 'editusers'), 'allowed'],
    ['somebody else', buildPersonIn('insider'), 304],
    ['an administrator who is not in it', buildPersonIn('admin'), 304],
    ['nobody in particular', ANONYMOUS, 410],
  ])('of %s: %s', (_, caller, expected) => {
    expect(codeOf(() => assertRole(caller, 'editusers', 'edit users'))).toBe(expected)
  })

  test('names the action in the message of the fault', () => {
    expect(() => assertRole(buildPersonIn(), 'editusers', 'edit users')).toThrow(
      'You are not authorized to edit users.',
    )
  })
})

describe('the rights of a caller', () => {
  test.each<[string, Caller, boolean, boolean]>([
    ['anonymous', ANONYMOUS, false, false],
    ['a person', buildPersonIn(), false, false],
    ['an insider', buildPersonIn('insider'), true, false],
    ['a time tracker', buildPersonIn('timetracking'), false, true],
    ['the service itself', SYSTEM, true, true],
  ])('%s: insider %s, time %s', (_, caller, insider, time) => {
    expect([isInsider(caller), canTrackTime(caller)]).toEqual([insider, time])
  })

  test('follow from groups, of which only people are members', () => {
    expect(isMember(buildPersonIn(), 3)).toBe(true)
    expect(isMember(buildPersonIn(), 4)).toBe(false)
    expect(isMember(ANONYMOUS, 3)).toBe(false)
    expect(isMember(SYSTEM, 3)).toBe(false)
    expect(hasRole(buildPersonIn('admin'), 'admin')).toBe(true)
    expect(hasRole(ANONYMOUS, 'admin')).toBe(false)
    expect(hasRole(SYSTEM, 'admin')).toBe(false)
  })
})

describe('the rights of a viewer', () => {
  test.each<[string, Caller, ViewerRights]>([
    ['nobody', ANONYMOUS, { kind: 'anonymous', id: 0, isInsider: false, productIds: null }],
    ['the service', SYSTEM, { kind: 'system', id: 0, isInsider: true, productIds: null }],
    [
      'a person',
      buildPersonIn('admin'),
      { kind: 'person', id: 7, isInsider: false, productIds: null },
    ],
    [
      'an insider',
      buildPersonIn('insider'),
      { kind: 'person', id: 7, isInsider: true, productIds: null },
    ],
  ])('of %s are all that decides what they see of bugs', (_, caller, rights) => {
    expect(viewerRights(caller)).toEqual(rights)
    expect(isInsider(rights)).toBe(isInsider(caller))
  })

  test('have no other members, so that a cache key can contain all of them', () => {
    expectTypeOf<Person>().not.toExtend<ViewerRights>()
  })
})
