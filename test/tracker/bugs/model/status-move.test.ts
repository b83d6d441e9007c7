import { describe, expect, test } from 'vitest'
import {
  canMove,
  type MoveRequest,
  type StatusState,
} from '../../../../src/tracker/bugs/model/status-move.ts'
import {
  buildState,
  moveBug,
  NOBODY,
  STANDINGS,
  type StandingName,
} from '../../../support/worlds/status-moves.ts'
import { EDGES, findStatus, STATUSES, WORKFLOW } from '../../../support/worlds/workflow.ts'

describe('the right to move a bug', () => {
  test.each<[string, { state: StatusState; to: string; allowed: StandingName[] }]>([
    [
      'to confirm it',
      { state: buildState('UNCONFIRMED'), to: 'CONFIRMED', allowed: ['editor', 'confirmer'] },
    ],
    [
      'to confirm it by starting work',
      { state: buildState('UNCONFIRMED'), to: 'IN_PROGRESS', allowed: ['editor', 'confirmer'] },
    ],
    [
      'to confirm it after it was closed unconfirmed',
      {
        state: buildState('RESOLVED', 'FIXED', false),
        to: 'CONFIRMED',
        allowed: ['editor', 'confirmer'],
      },
    ],
    [
      'to take a confirmation back',
      { state: buildState('CONFIRMED'), to: 'UNCONFIRMED', allowed: ['editor', 'confirmer'] },
    ],
    [
      'to reopen it as unconfirmed after it was confirmed',
      {
        state: buildState('RESOLVED', 'FIXED'),
        to: 'UNCONFIRMED',
        allowed: ['editor', 'confirmer'],
      },
    ],
    [
      'to move it from open to open',
      { state: buildState('CONFIRMED'), to: 'IN_PROGRESS', allowed: ['editor', 'assignee'] },
    ],
    [
      'to close it',
      {
        state: buildState('CONFIRMED'),
        to: 'RESOLVED',
        allowed: ['editor', 'assignee', 'reporter'],
      },
    ],
    [
      'to close it while it is unconfirmed',
      {
        state: buildState('UNCONFIRMED'),
        to: 'RESOLVED',
        allowed: ['editor', 'assignee', 'reporter'],
      },
    ],
    [
      'to reopen it',
      {
        state: buildState('RESOLVED', 'FIXED'),
        to: 'CONFIRMED',
        allowed: ['editor', 'assignee', 'reporter'],
      },
    ],
    [
      'to reopen it as unconfirmed when it never was confirmed',
      {
        state: buildState('RESOLVED', 'FIXED', false),
        to: 'UNCONFIRMED',
        allowed: ['editor', 'assignee', 'reporter'],
      },
    ],
    [
      'to move it from closed to closed',
      {
        state: buildState('RESOLVED', 'FIXED'),
        to: 'VERIFIED',
        allowed: ['editor', 'assignee', 'reporter'],
      },
    ],
  ])('%s', (_, { state, to, allowed }) => {
    const names = Object.keys(STANDINGS) as StandingName[]
    expect(names.filter((name) => canMove(state, findStatus(to), STANDINGS[name]))).toEqual(allowed)
  })
})

describe('the workflow', () => {
  const pairs = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => to !== from).map((to) => ({
      from: from.name,
      to: to.name,
      isAllowed: WORKFLOW[from.name]?.includes(to.name) ?? false,
    })),
  )

  test.each(pairs)('allows the move from $from to $to: $isAllowed', ({ from, to, isAllowed }) => {
    const state = buildState(from, findStatus(from).isOpen ? '' : 'FIXED')
    const resolution = findStatus(to).isOpen ? undefined : 'INVALID'
    const result = moveBug(state, { status: to, resolution })
    expect(result).toEqual(isAllowed ? expect.stringMatching(`^${to}/`) : 123)
  })

  test.each(STATUSES.map(({ name }) => name))('allows everybody to stay in %s', (name) => {
    const resolution = findStatus(name).isOpen ? '' : 'FIXED'
    const result = moveBug(buildState(name, resolution), {
      status: name.toLowerCase(),
      standing: NOBODY,
    })
    expect(result).toMatch(`${name}/${resolution}/`)
  })

  test.each<[string, StatusState, Partial<MoveRequest>, string | number]>([
    ['rejects a blank status with 50', buildState('CONFIRMED'), { status: ' ' }, 50],
    ['rejects a null status with 50', buildState('CONFIRMED'), { status: null }, 50],
    ['rejects an unknown status with 51', buildState('CONFIRMED'), { status: 'CLOSED' }, 51],
    [
      'rejects a move without the right to it with 123',
      buildState('CONFIRMED'),
      { status: 'IN_PROGRESS', standing: STANDINGS.reporter },
      123,
    ],
    [
      'rejects UNCONFIRMED with 123 in a product without unconfirmed bugs',
      buildState('CONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      123,
    ],
    [
      'lets an unconfirmed bug stay so in a product without unconfirmed bugs',
      buildState('UNCONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'rejects a move to an inactive status with 123',
      buildState('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        statuses: STATUSES.map((one) => ({ ...one, isActive: one.name !== 'IN_PROGRESS' })),
      },
      123,
    ],
    [
      'rejects a move without the required comment with 32000',
      buildState('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })),
      },
      32000,
    ],
    [
      'allows a move with the required comment',
      buildState('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })),
        hasComment: true,
      },
      'IN_PROGRESS//confirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})
