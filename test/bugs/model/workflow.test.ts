import { describe, expect, test } from 'vitest'
import { canMove, type StatusRequest, type StatusState } from '../../../src/bugs/model/workflow.ts'
import {
  buildState,
  moveBug,
  NOBODY,
  STANDINGS,
  type StandingName,
} from '../../support/worlds/status-moves.ts'
import { EDGES, findStatus, STATUSES, WORKFLOW } from '../../support/worlds/workflow.ts'

describe('the right to move a bug', () => {
  test.each<[string, StatusState, string, StandingName[]]>([
    ['confirming', buildState('UNCONFIRMED'), 'CONFIRMED', ['editor', 'confirmer']],
    ['confirming by starting', buildState('UNCONFIRMED'), 'IN_PROGRESS', ['editor', 'confirmer']],
    [
      'confirming a bug that was closed unconfirmed',
      buildState('RESOLVED', 'FIXED', false),
      'CONFIRMED',
      ['editor', 'confirmer'],
    ],
    ['taking a confirmation back', buildState('CONFIRMED'), 'UNCONFIRMED', ['editor', 'confirmer']],
    [
      'reopening a confirmed bug as unconfirmed',
      buildState('RESOLVED', 'FIXED'),
      'UNCONFIRMED',
      ['editor', 'confirmer'],
    ],
    ['from open to open', buildState('CONFIRMED'), 'IN_PROGRESS', ['editor', 'assignee']],
    ['closing', buildState('CONFIRMED'), 'RESOLVED', ['editor', 'assignee', 'reporter']],
    [
      'closing an unconfirmed bug',
      buildState('UNCONFIRMED'),
      'RESOLVED',
      ['editor', 'assignee', 'reporter'],
    ],
    ['reopening', buildState('RESOLVED', 'FIXED'), 'CONFIRMED', ['editor', 'assignee', 'reporter']],
    [
      'reopening an unconfirmed bug as one',
      buildState('RESOLVED', 'FIXED', false),
      'UNCONFIRMED',
      ['editor', 'assignee', 'reporter'],
    ],
    [
      'from closed to closed',
      buildState('RESOLVED', 'FIXED'),
      'VERIFIED',
      ['editor', 'assignee', 'reporter'],
    ],
  ])('%s', (_, state, to, allowed) => {
    const names = Object.keys(STANDINGS) as StandingName[]
    expect(names.filter((name) => canMove(state, findStatus(to), STANDINGS[name]))).toEqual(allowed)
  })
})

describe('the workflow', () => {
  const pairs = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => to !== from).map((to) => ({
      from: from.name,
      to: to.name,
      way: WORKFLOW[from.name]?.includes(to.name) ?? false,
    })),
  )

  test.each(pairs)('from $from to $to: $way', ({ from, to, way }) => {
    const state = buildState(from, findStatus(from).isOpen ? '' : 'FIXED')
    const why = findStatus(to).isOpen ? undefined : 'INVALID'
    const got = moveBug(state, { status: to, resolution: why })
    expect(got).toEqual(way ? expect.stringMatching(`^${to}/`) : 123)
  })

  test.each(STATUSES.map(({ name }) => name))('staying %s is no move', (name) => {
    const why = findStatus(name).isOpen ? '' : 'FIXED'
    const got = moveBug(buildState(name, why), { status: name.toLowerCase(), standing: NOBODY })
    expect(got).toMatch(`${name}/${why}/`)
  })

  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    ['a blank status is refused', buildState('CONFIRMED'), { status: ' ' }, 50],
    ['no status is refused', buildState('CONFIRMED'), { status: null }, 50],
    ['an unknown status is refused', buildState('CONFIRMED'), { status: 'CLOSED' }, 51],
    [
      'a move without the right to it is one that does not exist',
      buildState('CONFIRMED'),
      { status: 'IN_PROGRESS', standing: STANDINGS.reporter },
      123,
    ],
    [
      'nothing becomes unconfirmed where the product knows no such bugs',
      buildState('CONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      123,
    ],
    [
      'what is unconfirmed there may stay so',
      buildState('UNCONFIRMED'),
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'nothing moves to a status that has been switched off',
      buildState('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        statuses: STATUSES.map((one) => ({ ...one, isActive: one.name !== 'IN_PROGRESS' })),
      },
      123,
    ],
    [
      'a comment is demanded where the workflow says so',
      buildState('CONFIRMED'),
      {
        status: 'IN_PROGRESS',
        transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })),
      },
      32000,
    ],
    [
      'and then suffices',
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
