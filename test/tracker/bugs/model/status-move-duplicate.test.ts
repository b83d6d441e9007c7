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

  test.each<[string, StatusState, Partial<MoveRequest>, string | number]>([
    ['resolves an open bug', buildState('IN_PROGRESS'), {}, 'RESOLVED/DUPLICATE/confirmed'],
    [
      'does not confirm an unconfirmed bug',
      buildState('UNCONFIRMED'),
      {},
      'RESOLVED/DUPLICATE/unconfirmed',
    ],
    [
      'turns a verified bug into a resolved one',
      buildState('VERIFIED', 'FIXED'),
      {},
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'keeps the status of a duplicate',
      buildState('VERIFIED', 'DUPLICATE'),
      {},
      'VERIFIED/DUPLICATE/confirmed',
    ],
    ['may name a closed status', FIXED, { status: 'VERIFIED' }, 'VERIFIED/DUPLICATE/confirmed'],
    [
      'needs no move of the workflow',
      buildState('CONFIRMED'),
      { transitions: [] },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'with a status needs a move of the workflow (123)',
      buildState('CONFIRMED'),
      { status: 'VERIFIED' },
      123,
    ],
    ['is overridden by an open status', FIXED, { status: 'CONFIRMED' }, 'CONFIRMED//confirmed'],
    [
      'overrides another resolution',
      FIXED,
      { resolution: 'INVALID' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'may name the resolution alone',
      buildState('CONFIRMED'),
      { resolution: 'DUPLICATE' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['rejects an unknown resolution with 51', FIXED, { resolution: 'DONE' }, 51],
    [
      'is allowed to its reporter',
      FIXED,
      { standing: STANDINGS.reporter },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'is allowed to its assignee',
      buildState('CONFIRMED'),
      { standing: STANDINGS.assignee },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'is rejected from confirmers with 115',
      buildState('CONFIRMED'),
      { standing: STANDINGS.confirmer },
      115,
    ],
    ['is rejected from strangers with 115', FIXED, { standing: NOBODY }, 115],
    [
      'is rejected from strangers with 123 when it names a status',
      buildState('CONFIRMED'),
      { standing: NOBODY, status: 'RESOLVED' },
      123,
    ],
    [
      'needs the comment that the workflow requires (32000)',
      buildState('CONFIRMED'),
      { transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })) },
      32000,
    ],
  ])('%s', (_, state, more, expected) => {
    expect(marked(state, more)).toBe(expected)
  })
})
