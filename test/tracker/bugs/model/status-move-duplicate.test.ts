import { describe, expect, test } from 'vitest'
import type { MoveRequest, StatusState } from '../../../../src/tracker/bugs/model/status-move.ts'
import { buildState, moveBug, NOBODY, STANDINGS } from '../../../support/worlds/status-moves.ts'
import { EDGES, findStatus, STATUSES } from '../../../support/worlds/workflow.ts'

const FIXED = buildState('RESOLVED', 'FIXED')

describe('making a bug a duplicate', () => {
  test('gives it the first active closed status, in any order of the rows', () => {
    const earlier = { ...findStatus('VERIFIED'), sortKey: 1 }
    const statuses = [...STATUSES.filter(({ id }) => id !== earlier.id), earlier]
    const state = buildState('CONFIRMED')
    expect(moveBug(state, { marksDuplicate: true, statuses })).toBe('VERIFIED/DUPLICATE/confirmed')
    const unused = statuses.map((one) => (one === earlier ? { ...one, isActive: false } : one))
    expect(moveBug(state, { marksDuplicate: true, statuses: unused })).toBe(
      'RESOLVED/DUPLICATE/confirmed',
    )
  })

  const marked = (state: StatusState, more: Partial<MoveRequest> = {}) =>
    moveBug(state, { marksDuplicate: true, ...more })

  test.each<
    [string, { state: StatusState; request: Partial<MoveRequest>; expected: string | number }]
  >([
    [
      'resolves an open bug',
      { state: buildState('IN_PROGRESS'), request: {}, expected: 'RESOLVED/DUPLICATE/confirmed' },
    ],
    [
      'does not confirm an unconfirmed bug',
      { state: buildState('UNCONFIRMED'), request: {}, expected: 'RESOLVED/DUPLICATE/unconfirmed' },
    ],
    [
      'turns a verified bug into a resolved one',
      {
        state: buildState('VERIFIED', 'FIXED'),
        request: {},
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'keeps the status of a duplicate',
      {
        state: buildState('VERIFIED', 'DUPLICATE'),
        request: {},
        expected: 'VERIFIED/DUPLICATE/confirmed',
      },
    ],
    [
      'may name a closed status',
      { state: FIXED, request: { status: 'VERIFIED' }, expected: 'VERIFIED/DUPLICATE/confirmed' },
    ],
    [
      'needs no move of the workflow',
      {
        state: buildState('CONFIRMED'),
        request: { transitions: [] },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'with a status needs a move of the workflow (123)',
      { state: buildState('CONFIRMED'), request: { status: 'VERIFIED' }, expected: 123 },
    ],
    [
      'is overridden by an open status',
      { state: FIXED, request: { status: 'CONFIRMED' }, expected: 'CONFIRMED//confirmed' },
    ],
    [
      'overrides another resolution',
      {
        state: FIXED,
        request: { resolution: 'INVALID' },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'may name the resolution alone',
      {
        state: buildState('CONFIRMED'),
        request: { resolution: 'DUPLICATE' },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'rejects an unknown resolution with 51',
      { state: FIXED, request: { resolution: 'DONE' }, expected: 51 },
    ],
    [
      'is allowed to its reporter',
      {
        state: FIXED,
        request: { standing: STANDINGS.reporter },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'is allowed to its assignee',
      {
        state: buildState('CONFIRMED'),
        request: { standing: STANDINGS.assignee },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'is rejected from confirmers with 115',
      { state: buildState('CONFIRMED'), request: { standing: STANDINGS.confirmer }, expected: 115 },
    ],
    [
      'is rejected from strangers with 115',
      { state: FIXED, request: { standing: NOBODY }, expected: 115 },
    ],
    [
      'is rejected from strangers with 123 when it names a status',
      {
        state: buildState('CONFIRMED'),
        request: { standing: NOBODY, status: 'RESOLVED' },
        expected: 123,
      },
    ],
    [
      'needs the comment that the workflow requires (32000)',
      {
        state: buildState('CONFIRMED'),
        request: { transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })) },
        expected: 32000,
      },
    ],
  ])('%s', (_, { state, request: more, expected }) => {
    expect(marked(state, more)).toBe(expected)
  })
})
