import { describe, expect, test } from 'vitest'
import { ANONYMOUS, SYSTEM } from '../../../src/platform/access/caller.ts'
import { hoursWorked, maySetPrivacy } from '../../../src/platform/access/privacy.ts'
import { compile } from '../../../src/platform/db/compile.ts'
import { buildCaller } from '../../support/builders/callers.ts'

const who = { id: 1, login: '', key: '' }

describe('the hours worked', () => {
  test.each([
    ['anonymous callers', ANONYMOUS, 'bugs.public_worked_time'],
    ['members of timetracking', buildCaller(who, ['timetracking']), 'bugs.public_worked_time'],
    ['insiders', buildCaller(who, ['insider']), 'bugs.worked_time'],
    ['the service itself', SYSTEM, 'bugs.worked_time'],
  ])('of private comments count for insiders alone: %s', (_, caller, column) => {
    expect(compile(hoursWorked(caller)).sql.replaceAll('"', '')).toBe(column)
  })
})

test('privacy is kept by everybody and changed by insiders alone', () => {
  const [member, insider] = [buildCaller(who), buildCaller(who, ['insider'])]
  expect([maySetPrivacy(member, true, true), maySetPrivacy(insider, true, false)]).toEqual([
    true,
    true,
  ])
  expect([maySetPrivacy(member, false, true), maySetPrivacy(member, true, false)]).toEqual([
    false,
    false,
  ])
})
