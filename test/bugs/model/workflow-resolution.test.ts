import { describe, expect, test } from 'vitest'
import type { StatusRequest, StatusState } from '../../../src/bugs/model/workflow.ts'
import { buildState, moveBug, NOBODY, STANDINGS } from '../../support/worlds/status-moves.ts'
import { EDGES, findStatus, STATUSES } from '../../support/worlds/workflow.ts'

const FIXED = buildState('RESOLVED', 'FIXED')
const DUPLICATE = buildState('RESOLVED', 'DUPLICATE')

describe('the resolution', () => {
  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    [
      'comes with closing',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'fixed' },
      'RESOLVED/FIXED/confirmed',
    ],
    ['is needed for closing', buildState('CONFIRMED'), { status: 'RESOLVED' }, 121],
    [
      'is needed for closing, not blank',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: '' },
      121,
    ],
    [
      'must be known for closing',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'DONE' },
      51,
    ],
    [
      'must be active for closing',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'EXPIRED' },
      51,
    ],
    ['has no place on an open bug', buildState('CONFIRMED'), { resolution: 'FIXED' }, 122],
    ['has no place on an open bug, even blank', buildState('CONFIRMED'), { resolution: '' }, 122],
    ['has no place on an open bug, even null', buildState('CONFIRMED'), { resolution: null }, 122],
    ['is unknown before it has no place', buildState('CONFIRMED'), { resolution: 'DONE' }, 51],
    [
      'is ignored when the bug is told to be open',
      buildState('CONFIRMED'),
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
      buildState('RESOLVED', 'EXPIRED'),
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
      { resolution: 'INVALID', standing: STANDINGS.confirmer },
      115,
    ],
    [
      'of a closed bug is for its reporter',
      FIXED,
      { resolution: 'INVALID', standing: STANDINGS.reporter },
      'RESOLVED/INVALID/confirmed',
    ],
    [
      'that does not change needs no right',
      FIXED,
      { resolution: 'FIXED', standing: NOBODY },
      'RESOLVED/FIXED/confirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})

describe('confirmation', () => {
  test.each<[string, StatusState, Partial<StatusRequest>, string]>([
    [
      'comes with the first open status that is not unconfirmed',
      buildState('UNCONFIRMED'),
      { status: 'IN_PROGRESS' },
      'IN_PROGRESS//confirmed',
    ],
    [
      'goes with the way back',
      buildState('CONFIRMED'),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'is not touched by closing what is unconfirmed',
      buildState('UNCONFIRMED'),
      { status: 'RESOLVED', resolution: 'INVALID' },
      'RESOLVED/INVALID/unconfirmed',
    ],
    [
      'comes with reopening such a bug as confirmed',
      buildState('RESOLVED', 'INVALID', false),
      { status: 'CONFIRMED' },
      'CONFIRMED//confirmed',
    ],
    [
      'does not come with reopening it as it was',
      buildState('RESOLVED', 'INVALID', false),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})

describe('making a bug a duplicate', () => {
  test('gives it the first closed status that is in use, whatever the order of reading', () => {
    const earlier = { ...findStatus('VERIFIED'), sortKey: 1 }
    const statuses = [...STATUSES.filter(({ id }) => id !== earlier.id), earlier]
    const state = buildState('CONFIRMED')
    expect(moveBug(state, { marksDuplicate: true, statuses })).toBe('VERIFIED/DUPLICATE/confirmed')
    const unused = statuses.map((one) => (one === earlier ? { ...one, isActive: false } : one))
    expect(moveBug(state, { marksDuplicate: true, statuses: unused })).toBe(
      'RESOLVED/DUPLICATE/confirmed',
    )
  })

  const marked = (state: StatusState, more: Partial<StatusRequest> = {}) =>
    moveBug(state, { marksDuplicate: true, ...more })

  test.each<[string, StatusState, Partial<StatusRequest>, string | number]>([
    ['resolves it', buildState('IN_PROGRESS'), {}, 'RESOLVED/DUPLICATE/confirmed'],
    ['does not confirm it', buildState('UNCONFIRMED'), {}, 'RESOLVED/DUPLICATE/unconfirmed'],
    ['resolves it again', buildState('VERIFIED', 'FIXED'), {}, 'RESOLVED/DUPLICATE/confirmed'],
    [
      'keeps the status of a duplicate',
      buildState('VERIFIED', 'DUPLICATE'),
      {},
      'VERIFIED/DUPLICATE/confirmed',
    ],
    ['goes with a closed status', FIXED, { status: 'VERIFIED' }, 'VERIFIED/DUPLICATE/confirmed'],
    [
      'needs no way in the workflow',
      buildState('CONFIRMED'),
      { transitions: [] },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['by a status needs one', buildState('CONFIRMED'), { status: 'VERIFIED' }, 123],
    ['counts for less than an open status', FIXED, { status: 'CONFIRMED' }, 'CONFIRMED//confirmed'],
    [
      'counts for more than a resolution',
      FIXED,
      { resolution: 'INVALID' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'goes with the resolution alone',
      buildState('CONFIRMED'),
      { resolution: 'DUPLICATE' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['knows no other resolutions', FIXED, { resolution: 'DONE' }, 51],
    [
      'is for its reporter',
      FIXED,
      { standing: STANDINGS.reporter },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'is for its assignee',
      buildState('CONFIRMED'),
      { standing: STANDINGS.assignee },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    ['is not for confirmers', buildState('CONFIRMED'), { standing: STANDINGS.confirmer }, 115],
    ['is not for strangers', FIXED, { standing: NOBODY }, 115],
    [
      'is not for strangers by a status',
      buildState('CONFIRMED'),
      { standing: NOBODY, status: 'RESOLVED' },
      123,
    ],
    [
      'needs the comment that the workflow asks for',
      buildState('CONFIRMED'),
      { transitions: EDGES.map((edge) => ({ ...edge, commentRequired: true })) },
      32000,
    ],
  ])('%s', (_, state, more, expected) => {
    expect(marked(state, more)).toBe(expected)
  })
})
