import { describe, expect, test } from 'vitest'
import type { FlagPerson, LoadedFlagType } from '../../../src/tracker/flags/load.ts'
import {
  canRequestFlag,
  canSetFlag,
  type FlaggedBug,
  type FlagState,
  type FlagStatus,
  parseFlagStatus,
  resolveRequestee,
} from '../../../src/tracker/flags/rules.ts'

const GRANTERS = 1
const ASKERS = 2
const SECRET = 3

const TYPE: LoadedFlagType = {
  id: 5,
  name: 'review',
  target: 'bug',
  isActive: true,
  isRequestable: true,
  isRequesteeble: true,
  isMultiplicable: true,
  grantGroupId: GRANTERS,
  requestGroupId: ASKERS,
  revision: 0,
}

const actor = (id: number, ...groups: number[]) => ({ id, groups: new Set(groups) })
const granter = actor(10, GRANTERS)
const asker = actor(11, ASKERS)
const setter = actor(12)
const REQUESTEE = actor(13)
const stranger = actor(14)

const WHO = { granter, asker, setter, requestee: REQUESTEE, stranger }

function flag(status: FlagStatus): FlagState {
  const requestee = status === '?' ? { id: REQUESTEE.id, login: 'requestee@example.test' } : null
  return { status, setterId: setter.id, requestee }
}

describe('a flag of a type with a grant group and a request group', () => {
  const everybody = Object.keys(WHO) as (keyof typeof WHO)[]
  test.each<[FlagStatus | null, FlagStatus | 'X', (keyof typeof WHO)[]]>([
    [null, '?', ['granter', 'asker']],
    [null, '+', ['granter']],
    [null, '-', ['granter']],
    ['?', '?', everybody],
    ['?', '+', ['granter']],
    ['?', '-', ['granter']],
    ['?', 'X', ['granter', 'asker', 'setter', 'requestee']],
    ['+', '?', ['granter']],
    ['+', '+', everybody],
    ['+', '-', ['granter']],
    ['+', 'X', ['granter']],
    ['-', '?', ['granter']],
    ['-', '+', ['granter']],
    ['-', '-', everybody],
    ['-', 'X', ['granter']],
  ])('goes from %s to %s by %j', (from, to, allowed) => {
    const state = from === null ? null : flag(from)
    for (const who of everybody) {
      expect(canSetFlag(WHO[who], TYPE, state, to), who).toBe(allowed.includes(who))
    }
  })

  test('of a type without a grant group goes anywhere by anybody', () => {
    const open = { grantGroupId: null, requestGroupId: ASKERS }
    for (const from of [null, flag('?'), flag('+'), flag('-')]) {
      for (const to of ['?', '+', '-', 'X'] as const) {
        expect(canSetFlag(stranger, open, from, to)).toBe(true)
      }
    }
  })

  test('may be requested by everybody where there is no request group', () => {
    expect(canRequestFlag(new Set(), { grantGroupId: GRANTERS, requestGroupId: null })).toBe(true)
  })
})

describe('a status', () => {
  test.each(['?', '+', '-', 'X'])('may be %s', (status) => {
    expect(parseFlagStatus(` ${status} `, 'review')).toBe(status)
  })

  test.each([undefined, '', 'x', '??', 'granted', '+-'])('may not be %s', (status) => {
    expect(() => parseFlagStatus(status, 'review')).toThrow(
      expect.objectContaining({ code: 129, message: expect.stringContaining('review') }),
    )
  })
})

const BUG: FlaggedBug = {
  id: 35,
  productId: 1,
  componentId: 11,
  reporterId: 20,
  assignedToId: 21,
  qaContactId: 22,
  isCcAccessible: true,
  isCreatorAccessible: true,
  groupIds: [SECRET],
  ccIds: [23],
}

const ann: FlagPerson = {
  id: 30,
  login: 'Ann@example.test',
  loginFold: 'ann@example.test',
  isDisabled: false,
  isInsider: false,
  groups: JSON.stringify([GRANTERS, SECRET]),
}

const view = (person: Partial<FlagPerson> = {}, isPrivate = false) => ({
  people: new Map([[ann.loginFold, { ...ann, ...person }]]),
  bug: BUG,
  isPrivate,
})

describe('a request', () => {
  test('asks people who may answer, in any spelling of the login', () => {
    expect(resolveRequestee(' ANN@example.test ', null, TYPE, view())).toEqual(ann)
  })

  test.each([undefined, '', '  '])('asks nobody in particular with %j', (given) => {
    expect(resolveRequestee(given, { id: 30, login: 'ann@example.test' }, TYPE, view())).toBeNull()
  })

  test('keeps the present requestee, even without rights', () => {
    const current = { id: 30, login: 'Ann@example.test' }
    const type = { ...TYPE, isRequesteeble: false }
    expect(resolveRequestee('ann@example.test', current, type, view({ isDisabled: true }))).toEqual(
      current,
    )
  })

  test('needs no grant right where everybody has it', () => {
    const type = { ...TYPE, grantGroupId: null }
    const person = { groups: JSON.stringify([SECRET]) }
    expect(resolveRequestee(ann.login, null, type, view(person))).toMatchObject({ id: ann.id })
  })

  test('asks insiders on a private attachment', () => {
    expect(resolveRequestee(ann.login, null, TYPE, view({ isInsider: true }, true))).toMatchObject({
      id: ann.id,
    })
  })

  type Case = {
    readonly code: number
    readonly naming: string
    readonly login?: string
    readonly type?: Partial<LoadedFlagType>
    readonly person?: Partial<FlagPerson>
    readonly isPrivate?: boolean
  }

  test.each<Case>([
    { code: 131, naming: 'review', type: { isRequesteeble: false } },
    { code: 51, naming: 'nobody@example.test', login: 'nobody@example.test' },
    { code: 32000, naming: 'disabled', person: { isDisabled: true } },
    { code: 32000, naming: 'see', person: { groups: JSON.stringify([GRANTERS]) } },
    { code: 32000, naming: 'see', isPrivate: true },
    { code: 32000, naming: 'grant', person: { groups: JSON.stringify([SECRET]) } },
  ])('is refused with $code naming $naming', ({ code, naming, type, person = {}, ...given }) => {
    const { login = ann.login, isPrivate = false } = given
    expect(() =>
      resolveRequestee(login, null, { ...TYPE, ...type }, view(person, isPrivate)),
    ).toThrow(expect.objectContaining({ code, message: expect.stringContaining(naming) }))
  })
})
