import { describe, expect, test } from 'vitest'
import type { Person } from '../../../../src/platform/access/caller.ts'
import { decideGroups, type GroupChanges } from '../../../../src/tracker/bugs/change/groups.ts'
import { buildCaller } from '../../../support/builders/callers.ts'

const [NA, SHOWN, DEFAULT, MANDATORY] = [0, 1, 2, 3] as const

const ANN = buildCaller({ id: 1, login: 'ann' }) as Person

/** Where the caller belongs to a group, or does not. */
function caller(isIn: boolean): Person {
  return { ...ANN, groups: new Set(isIn ? [7] : []) }
}

type Case = {
  isIn: boolean
  isMove?: boolean
  hasGroup?: boolean
  pair?: readonly [number, number]
  isActive?: boolean
  edit?: GroupChanges['edit']
}

/** One group, number 7, called `Team`, in product 1. */
function decideTeamGroup({
  isIn,
  isMove = false,
  hasGroup = false,
  pair,
  isActive = true,
  edit,
}: Case) {
  const [memberControl, otherControl] = pair ?? [NA, NA]
  const control = {
    productId: 1,
    groupId: 7,
    name: 'Team',
    nameFold: 'team',
    isActive,
    isBugGroup: true,
    memberControl,
    otherControl,
    editBugs: false,
    canConfirm: false,
  }
  try {
    const result = decideGroups(caller(isIn), {
      bugId: 5,
      groups: hasGroup ? [{ id: 7, nameFold: 'team', isActive }] : [],
      product: { id: 1, name: 'Lamp' },
      isMove,
      controls: pair === undefined ? [] : [control],
      edit,
    })
    const { add = [], remove = [] } = result ?? {}
    return [...add.map((id) => `+${id}`), ...remove.map((id) => `-${id}`)].join()
  } catch (error) {
    return (error as { code: number }).code
  }
}

const PAIRS = [
  [NA, NA],
  [SHOWN, NA],
  [SHOWN, SHOWN],
  [SHOWN, DEFAULT],
  [SHOWN, MANDATORY],
  [DEFAULT, NA],
  [DEFAULT, DEFAULT],
  [DEFAULT, MANDATORY],
  [MANDATORY, MANDATORY],
] as const

/** For each pair: a member, a member who moves the bug, somebody else, somebody else who moves it. */
type Row = readonly [unknown, unknown, unknown, unknown]

const ADDING: readonly Row[] = [
  [120, 120, 120, 120],
  ['+7', '+7', 120, 120],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, 120],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
]

const REMOVING: readonly Row[] = [
  ['-7', '-7', '-7', '-7'],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, 120],
  [120, 120, 120, 120],
]

const MOVING_ALONG: readonly (readonly [member: string, other: string])[] = [
  ['', ''],
  ['', ''],
  ['', ''],
  ['', ''],
  ['', '+7'],
  ['', ''],
  ['', ''],
  ['', '+7'],
  ['+7', '+7'],
]

const CASES = PAIRS.flatMap((pair, i) =>
  [true, false].flatMap((isIn, who) =>
    [false, true].map((isMove, how) => ({ pair, isIn, isMove, i, place: who * 2 + how })),
  ),
)

describe('a group with the controls', () => {
  test.each(CASES)(
    '$pair follows the table when it is added (by a member: $isIn, while moving: $isMove)',
    (one) => {
      expect(decideTeamGroup({ ...one, edit: { add: [' TEAM '] } })).toBe(
        ADDING[one.i]?.[one.place],
      )
    },
  )

  test.each(CASES)(
    '$pair follows the table when it is removed (by a member: $isIn, while moving: $isMove)',
    (one) => {
      const removed = decideTeamGroup({ ...one, hasGroup: true, edit: { remove: ['Team'] } })
      expect(removed).toBe(REMOVING[one.i]?.[one.place])
    },
  )

  test.each(CASES.filter(({ isMove }) => isMove))(
    '$pair follows the table when a bug moves into the product (by a member: $isIn)',
    (one) => {
      expect(decideTeamGroup(one)).toBe(MOVING_ALONG[one.i]?.[one.isIn ? 0 : 1])
    },
  )
})

describe('the groups of a bug', () => {
  const both = [SHOWN, SHOWN] as const
  test.each<[string, { one: Case; expected: unknown }]>([
    [
      'stay when the request has no edit of groups',
      { one: { isIn: true, pair: both, hasGroup: true }, expected: '' },
    ],
    [
      'lose a group that has no controls in the new product',
      { one: { isIn: true, isMove: true, hasGroup: true }, expected: '-7' },
    ],
    [
      'lose a group that is not applicable in the new product',
      { one: { isIn: true, isMove: true, hasGroup: true, pair: [NA, NA] }, expected: '-7' },
    ],
    [
      'keep a group that the new product allows',
      { one: { isIn: false, isMove: true, hasGroup: true, pair: [SHOWN, NA] }, expected: '' },
    ],
    [
      'may be added once more',
      { one: { isIn: false, pair: both, hasGroup: true, edit: { add: ['team'] } }, expected: '+7' },
    ],
    [
      'reject an unknown name with 120',
      { one: { isIn: true, pair: both, edit: { add: ['x'] } }, expected: 120 },
    ],
    [
      'reject an inactive group with 120',
      { one: { isIn: true, pair: both, isActive: false, edit: { add: ['team'] } }, expected: 120 },
    ],
    [
      'reject the removal of a group that the bug does not have with 120',
      { one: { isIn: true, pair: both, edit: { remove: ['team'] } }, expected: 120 },
    ],
    [
      'lose an inactive group although it is mandatory',
      {
        one: {
          isIn: true,
          pair: [3, 3],
          isActive: false,
          hasGroup: true,
          edit: { remove: ['team'] },
        },
        expected: '-7',
      },
    ],
    [
      'are removed when one edit adds and removes them',
      {
        one: { isIn: true, pair: both, edit: { add: ['team'], remove: ['team'] } },
        expected: '-7',
      },
    ],
    [
      'may be removed although the move removes them anyway',
      {
        one: { isIn: false, isMove: true, hasGroup: true, edit: { remove: ['team'] } },
        expected: '-7',
      },
    ],
    ['may be set', { one: { isIn: true, pair: both, edit: { set: ['Team'] } }, expected: '+7' }],
    [
      'may be set to none',
      { one: { isIn: true, pair: both, hasGroup: true, edit: { set: [] } }, expected: '-7' },
    ],
    [
      'cannot be set to none by somebody who is no member',
      { one: { isIn: false, pair: both, hasGroup: true, edit: { set: [] } }, expected: 120 },
    ],
    [
      'keep a mandatory group when they are set to none',
      { one: { isIn: true, pair: [3, 3], hasGroup: true, edit: { set: [] } }, expected: '' },
    ],
    [
      'may be set to what they are by somebody who is no member',
      { one: { isIn: false, pair: both, hasGroup: true, edit: { set: ['team'] } }, expected: '+7' },
    ],
  ])('%s', (_, { one, expected }) => {
    expect(decideTeamGroup(one)).toBe(expected)
  })
})
