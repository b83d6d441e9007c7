import { describe, expect, test } from 'vitest'
import type { Person } from '../../../../src/platform/access/caller.ts'
import type { Role } from '../../../../src/platform/access/roles.ts'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import {
  decideNewGroups,
  type GroupControl,
} from '../../../../src/tracker/bugs/model/group-controls.ts'
import { rightsIn } from '../../../../src/tracker/bugs/model/standing.ts'
import { buildCaller } from '../../../support/builders/callers.ts'

const CONTROLS = { NA: 0, SHOWN: 1, DEFAULT: 2, MANDATORY: 3 } as const
type Setting = keyof typeof CONTROLS

const GROUP = 7

function personIn(groups: number[], roles: Role[] = []): Person {
  return { ...buildCaller({ id: 1, login: 'a@example.test' }, roles), groups: new Set(groups) }
}

const MEMBER = personIn([GROUP])
const OUTSIDER = personIn([])

function control(
  members: Setting,
  others: Setting,
  more: Partial<GroupControl> = {},
): GroupControl {
  return {
    groupId: GROUP,
    name: 'Secret',
    nameFold: 'secret',
    isActive: true,
    isBugGroup: true,
    memberControl: CONTROLS[members],
    otherControl: CONTROLS[others],
    editBugs: false,
    canConfirm: false,
    ...more,
  }
}

function groupsFor(caller: Person, one: GroupControl, names?: string[]): number[] | number {
  try {
    return decideNewGroups(caller, 'Product', [one], names)
  } catch (error) {
    return error instanceof Fault ? error.code : -1
  }
}

/** For each legal pair: what a bug gets when no group is named, an empty list, and the group itself. */
const IN = [GROUP]
const OUT: number[] = []
const PAIRS: readonly [
  pair: [Setting, Setting],
  member: [number[], number[], number[] | number],
  outsider: [number[], number[], number[] | number],
][] = [
  [
    ['NA', 'NA'],
    [OUT, OUT, 120],
    [OUT, OUT, 120],
  ],
  [
    ['SHOWN', 'NA'],
    [OUT, OUT, IN],
    [OUT, OUT, 120],
  ],
  [
    ['SHOWN', 'SHOWN'],
    [OUT, OUT, IN],
    [OUT, OUT, IN],
  ],
  [
    ['SHOWN', 'DEFAULT'],
    [OUT, OUT, IN],
    [IN, OUT, IN],
  ],
  [
    ['SHOWN', 'MANDATORY'],
    [OUT, OUT, IN],
    [IN, IN, IN],
  ],
  [
    ['DEFAULT', 'NA'],
    [IN, OUT, IN],
    [OUT, OUT, 120],
  ],
  [
    ['DEFAULT', 'DEFAULT'],
    [IN, OUT, IN],
    [IN, OUT, IN],
  ],
  [
    ['DEFAULT', 'MANDATORY'],
    [IN, OUT, IN],
    [IN, IN, IN],
  ],
  [
    ['MANDATORY', 'MANDATORY'],
    [IN, IN, IN],
    [IN, IN, IN],
  ],
]

describe('the groups of a new bug', () => {
  test.each(PAIRS)(
    'follow the controls %j, for members and for others',
    ([members, others], ...expected) => {
      const one = control(members, others)
      const got = [MEMBER, OUTSIDER].map((caller) => [
        groupsFor(caller, one),
        groupsFor(caller, one, []),
        groupsFor(caller, one, ['Secret']),
      ])
      expect(got).toEqual(expected)
    },
  )

  test.each([
    ['inactive', { isActive: false }],
    ['not for bugs', { isBugGroup: false }],
  ])('exclude a group that is %s, although it is mandatory', (_, more) => {
    const one = control('MANDATORY', 'MANDATORY', more)
    expect(groupsFor(MEMBER, one)).toEqual([])
    expect(groupsFor(MEMBER, one, ['Secret'])).toBe(120)
  })

  test('are matched by name without regard to case, each once', () => {
    const one = control('SHOWN', 'NA')
    expect(groupsFor(MEMBER, one, [' SECRET ', 'secret'])).toEqual([GROUP])
  })

  test('are rejected with the same message whether the group is unknown or forbidden', () => {
    const readMessage = (name: string) => {
      try {
        decideNewGroups(OUTSIDER, 'Product', [control('SHOWN', 'NA')], [name])
        return ''
      } catch (error) {
        return (error as Fault).message.replaceAll(name, 'X')
      }
    }
    expect(readMessage('Secret')).toBe(readMessage('Nothing'))
    expect(readMessage('Secret')).toContain("'Product'")
  })
})

describe('the rights of a person in a product', () => {
  const gives = (more: Partial<GroupControl>) => [control('NA', 'NA', more)]

  test.each([
    {
      who: 'nobody in particular',
      caller: OUTSIDER,
      controls: gives({}),
      editBugs: false,
      canConfirm: false,
    },
    {
      who: 'a global editor',
      caller: personIn([], ['editbugs']),
      controls: gives({}),
      editBugs: true,
      canConfirm: false,
    },
    {
      who: 'a global confirmer',
      caller: personIn([], ['canconfirm']),
      controls: gives({}),
      editBugs: false,
      canConfirm: true,
    },
    {
      who: 'a member of a group that edits here',
      caller: MEMBER,
      controls: gives({ editBugs: true }),
      editBugs: true,
      canConfirm: false,
    },
    {
      who: 'a member of a group that confirms here',
      caller: MEMBER,
      controls: gives({ canConfirm: true }),
      editBugs: false,
      canConfirm: true,
    },
    {
      who: 'somebody outside of such groups',
      caller: OUTSIDER,
      controls: gives({ editBugs: true, canConfirm: true }),
      editBugs: false,
      canConfirm: false,
    },
  ] as const)(
    'are editBugs: $editBugs and canConfirm: $canConfirm for $who',
    ({ caller, controls, editBugs, canConfirm }) => {
      expect(rightsIn(caller, controls)).toEqual({ editBugs, canConfirm })
    },
  )
})
