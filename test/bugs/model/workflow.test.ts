import { describe, expect, test } from 'vitest'
import type { Standing } from '../../../src/bugs/model/standing.ts'
import {
  canMove,
  decideMove,
  type StatusRequest,
  type StatusState,
} from '../../../src/bugs/model/workflow.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import {
  EDGES,
  findResolution,
  findStatus,
  RESOLUTIONS,
  STATUSES,
  WORKFLOW,
} from '../../support/worlds/workflow.ts'

const NOBODY: Standing = {
  editBugs: false,
  canConfirm: false,
  isAssigneeOrQa: false,
  isReporter: false,
}
const PEOPLE = {
  editor: { ...NOBODY, editBugs: true },
  confirmer: { ...NOBODY, canConfirm: true },
  assignee: { ...NOBODY, isAssigneeOrQa: true },
  reporter: { ...NOBODY, isReporter: true },
  stranger: NOBODY,
} satisfies Record<string, Standing>
type Name = keyof typeof PEOPLE

function stateOf(name: string, why = '', isConfirmed = name !== 'UNCONFIRMED'): StatusState {
  return { status: findStatus(name), resolution: findResolution(why), isConfirmed }
}

describe('the right to move a bug', () => {
  test.each<[string, StatusState, string, Name[]]>([
    ['confirming', stateOf('UNCONFIRMED'), 'CONFIRMED', ['editor', 'confirmer']],
    ['confirming by starting', stateOf('UNCONFIRMED'), 'IN_PROGRESS', ['editor', 'confirmer']],
    [
      'confirming a bug that was closed unconfirmed',
      stateOf('RESOLVED', 'FIXED', false),
      'CONFIRMED',
      ['editor', 'confirmer'],
    ],
    ['taking a confirmation back', stateOf('CONFIRMED'), 'UNCONFIRMED', ['editor', 'confirmer']],
    [
      'reopening a confirmed bug as unconfirmed',
      stateOf('RESOLVED', 'FIXED'),
      'UNCONFIRMED',
      ['editor', 'confirmer'],
    ],
    ['from open to open', stateOf('CONFIRMED'), 'IN_PROGRESS', ['editor', 'assignee']],
    ['closing', stateOf('CONFIRMED'), 'RESOLVED', ['editor', 'assignee', 'reporter']],
    [
      'closing an unconfirmed bug',
      stateOf('UNCONFIRMED'),
      'RESOLVED',
      ['editor', 'assignee', 'reporter'],
    ],
    ['reopening', stateOf('RESOLVED', 'FIXED'), 'CONFIRMED', ['editor', 'assignee', 'reporter']],
    [
      'reopening an unconfirmed bug as one',
      stateOf('RESOLVED', 'FIXED', false),
      'UNCONFIRMED',
      ['editor', 'assignee', 'reporter'],
    ],
    [
      'from closed to closed',
      stateOf('RESOLVED', 'FIXED'),
      'VERIFIED',
      ['editor', 'assignee', 'reporter'],
    ],
  ])('%s', (_, state, to, allowed) => {
    const names = Object.keys(PEOPLE) as Name[]
    expect(names.filter((name) => canMove(state, findStatus(to), PEOPLE[name]))).toEqual(allowed)
  })
})

function moveWith(state: StatusState, more: Partial<StatusRequest>): string | number {
  return catchFaultCode(() => {
    const next = decideMove({
      state,
      status: undefined,
      resolution: undefined,
      standing: PEOPLE.editor,
      hasUnconfirmed: true,
      hasComment: false,
      statuses: STATUSES,
      resolutions: RESOLUTIONS,
      transitions: EDGES,
      ...more,
    })
    const confirmed = next.isConfirmed ? 'confirmed' : 'unconfirmed'
    return `${next.status.name}/${next.resolution.name}/${confirmed}`
  })
}

describe('the workflow', () => {
  const pairs = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => to !== from).map((to) => ({
      from: from.name,
      to: to.name,
      way: WORKFLOW[from.name]?.includes(to.name) ?? false,
    })),
  )

  test.each(pairs)('from $from to $to: $way', ({ from, to, way }) => {
    const state = stateOf(from, findStatus(from).isOpen ? '' : 'FIXED')
    const why = findStatus(to).isOpen ? undefined : 'INVALID'
    const got = moveWith(state, { status: to, resolution: why })
    expect(got).toEqual(way ? expect.stringMatching(`^${to}/`) : 123)
  })

  test.each(STATUSES.map(({ name }) => name))('staying %s is no move', (name) => {
    const why = findStatus(name).isOpen ? '' : 'FIXED'
    const got = moveWith(stateOf(name, why), { status: name.toLowerCase(), standing: NOBODY })
    expect(got).toMatch(`${name}/${why}/`)
  })

  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    ['a blank status is refused', stateOf('CONFIRMED'), { status: ' ' }, 50],
    ['no status is refused', stateOf('CONFIRMED'), { status: null }, 50],
    ['an unknown status is refused', stateOf('CONFIRMED'), { status: 'CLOSED' }, 51],
    [
      'a move without the right to it is one that does not exist',
      stateOf('CONFIRMED'),
      { status: 'IN_PROGRESS', standing: PEOPLE.reporter },
      123,
    ],
    [
      'nothing becomes unconfirmed where the product knows no such bugs',
      stateOf('CONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      123,
    ],
    [
      'what is unconfirmed there may stay so',
      stateOf('UNCONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'nothing moves to a status that has been switched off',
      stateOf('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        statuses: STATUSES.map((one) => ({ ...one, isActive: one.name !== 'IN_PROGRESS' })),
      },
      123,
    ],
    [
      'a comment is demanded where the workflow says so',
      stateOf('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })),
      },
      32000,
    ],
    [
      'and then suffices',
      stateOf('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })),
        hasComment: true,
      },
      'IN_PROGRESS//confirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveWith(state, more)).toBe(expected)
  })
})

const FIXED = stateOf('RESOLVED', 'FIXED')
const DUPLICATE = stateOf('RESOLVED', 'DUPLICATE')

describe('the resolution', () => {
  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    [
      'comes with closing',
      stateOf('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'fixed' },
      'RESOLVED/FIXED/confirmed',
    ],
    ['is needed for closing', stateOf('CONFIRMED'), { status: 'RESOLVED' }, 121],
    [
      'is needed for closing, not blank',
      stateOf('CONFIRMED'),
      { status: 'RESOLVED', resolution: '' },
      121,
    ],
    [
      'must be known for closing',
      stateOf('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'DONE' },
      51,
    ],
    [
      'must be active for closing',
      stateOf('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'EXPIRED' },
      51,
    ],
    ['has no place on an open bug', stateOf('CONFIRMED'), { resolution: 'FIXED' }, 122],
    ['has no place on an open bug, even blank', stateOf('CONFIRMED'), { resolution: '' }, 122],
    ['has no place on an open bug, even null', stateOf('CONFIRMED'), { resolution: null }, 122],
    ['is unknown before it has no place', stateOf('CONFIRMED'), { resolution: 'DONE' }, 51],
    [
      'is ignored when the bug is told to be open',
      stateOf('CONFIRMED'),
      { status: 'CONFIRMED', resolution: 'DONE' },
      'CONFIRMED//confirmed',
    ],
    ['changes on a closed bug', FIXED, { resolution: 'INVALID' }, 'RESOLVED/INVALID/confirmed'],
    ['stays when only the status moves', FIXED, { status: 'VERIFIED' }, 'VERIFIED/FIXED/confirmed'],
    [
      'moves along with the status',
      FIXED,
      { status: 'VERIFIED', resolution: 'INVALID' },
      'VERIFIED/INVALID/confirmed',
    ],
    ['cannot be taken from a closed bug', FIXED, { resolution: '' }, 121],
    ['cannot be taken while it stays closed', FIXED, { status: 'VERIFIED', resolution: null }, 121],
    ['goes when the bug opens', FIXED, { status: 'CONFIRMED' }, 'CONFIRMED//confirmed'],
    [
      'goes when the bug opens, whatever is asked for',
      FIXED,
      { status: 'CONFIRMED', resolution: 'DONE' },
      'CONFIRMED//confirmed',
    ],
    ['is not made a duplicate by name', FIXED, { resolution: 'DUPLICATE' }, 119],
    [
      'stays a duplicate by name',
      DUPLICATE,
      { resolution: 'duplicate' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'stays an inactive one by name',
      stateOf('RESOLVED', 'EXPIRED'),
      { resolution: 'EXPIRED' },
      'RESOLVED/EXPIRED/confirmed',
    ],
    [
      'of a closed bug is not for strangers',
      FIXED,
      { resolution: 'INVALID', standing: NOBODY },
      115,
    ],
    [
      'of a closed bug is not for confirmers',
      FIXED,
      { resolution: 'INVALID', standing: PEOPLE.confirmer },
      115,
    ],
    [
      'of a closed bug is for its reporter',
      FIXED,
      { resolution: 'INVALID', standing: PEOPLE.reporter },
      'RESOLVED/INVALID/confirmed',
    ],
    [
      'that does not change needs no right',
      FIXED,
      { resolution: 'FIXED', standing: NOBODY },
      'RESOLVED/FIXED/confirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveWith(state, more)).toBe(expected)
  })
})

describe('confirmation', () => {
  test.each<[string, StatusState, Partial<StatusRequest>, string]>([
    [
      'comes with the first open status that is not unconfirmed',
      stateOf('UNCONFIRMED'),
      { status: 'IN_PROGRESS' },
      'IN_PROGRESS//confirmed',
    ],
    [
      'goes with the way back',
      stateOf('CONFIRMED'),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'is not touched by closing what is unconfirmed',
      stateOf('UNCONFIRMED'),
      { status: 'RESOLVED', resolution: 'INVALID' },
      'RESOLVED/INVALID/unconfirmed',
    ],
    [
      'comes with reopening such a bug as confirmed',
      stateOf('RESOLVED', 'INVALID', false),
      { status: 'CONFIRMED' },
      'CONFIRMED//confirmed',
    ],
    [
      'does not come with reopening it as it was',
      stateOf('RESOLVED', 'INVALID', false),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveWith(state, more)).toBe(expected)
  })
})

describe('making a bug a duplicate', () => {
  test('gives it the first closed status that is in use, whatever the order of reading', () => {
    const earlier = { ...findStatus('VERIFIED'), sortKey: 1 }
    const statuses = [...STATUSES.filter(({ id }) => id !== earlier.id), earlier]
    const state = stateOf('CONFIRMED')
    expect(moveWith(state, { marksDuplicate: true, statuses })).toBe('VERIFIED/DUPLICATE/confirmed')
    const unused = statuses.map((one) => (one === earlier ? { ...one, isActive: false } : one))
    expect(moveWith(state, { marksDuplicate: true, statuses: unused })).toBe(
      'RESOLVED/DUPLICATE/confirmed',
    )
  })

  const marked = (state: StatusState, more: Partial<StatusRequest> = {}) =>
    moveWith(state, { marksDuplicate: true, ...more })

  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    ['resolves it', stateOf('IN_PROGRESS'), {}, 'RESOLVED/DUPLICATE/confirmed'],
    ['does not confirm it', stateOf('UNCONFIRMED'), {}, 'RESOLVED/DUPLICATE/unconfirmed'],
    ['resolves it again', stateOf('VERIFIED', 'FIXED'), {}, 'RESOLVED/DUPLICATE/confirmed'],
    [
      'keeps the status of a duplicate',
      stateOf('VERIFIED', 'DUPLICATE'),
      {},
      'VERIFIED/DUPLICATE/confirmed',
    ],
    ['goes with a closed status', FIXED, { status: 'VERIFIED' }, 'VERIFIED/DUPLICATE/confirmed'],
    [
      'needs no way in the workflow',
      stateOf('CONFIRMED'),
      { transitions: [] },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['by a status needs one', stateOf('CONFIRMED'), { status: 'VERIFIED' }, 123],
    ['counts for less than an open status', FIXED, { status: 'CONFIRMED' }, 'CONFIRMED//confirmed'],
    [
      'counts for more than a resolution',
      FIXED,
      { resolution: 'INVALID' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'goes with the resolution alone',
      stateOf('CONFIRMED'),
      { resolution: 'DUPLICATE' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['knows no other resolutions', FIXED, { resolution: 'DONE' }, 51],
    ['is for its reporter', FIXED, { standing: PEOPLE.reporter }, 'RESOLVED/DUPLICATE/confirmed'],
    [
      'is for its assignee',
      stateOf('CONFIRMED'),
      { standing: PEOPLE.assignee },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['is not for confirmers', stateOf('CONFIRMED'), { standing: PEOPLE.confirmer }, 115],
    ['is not for strangers', FIXED, { standing: NOBODY }, 115],
    [
      'is not for strangers by a status',
      stateOf('CONFIRMED'),
      { standing: NOBODY, status: 'RESOLVED' },
      123,
    ],
    [
      'needs the comment that the workflow asks for',
      stateOf('CONFIRMED'),
      { transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })) },
      32000,
    ],
  ])('%s', (_, state, more, expected) => {
    expect(marked(state, more)).toBe(expected)
  })
})
