import { describe, expect, test } from 'vitest'
import type { MoveRequest, StatusState } from '../../../../src/tracker/bugs/model/status-move.ts'
import { buildState, moveBug, NOBODY, STANDINGS } from '../../../support/worlds/status-moves.ts'

const FIXED = buildState('RESOLVED', 'FIXED')
const DUPLICATE = buildState('RESOLVED', 'DUPLICATE')

describe('the resolution of a bug', () => {
  test.each<[string, StatusState, Partial<MoveRequest>, string | number]>([
    [
      'is set when the bug is closed',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'fixed' },
      'RESOLVED/FIXED/confirmed',
    ],
    ['is required (121) to close the bug', buildState('CONFIRMED'), { status: 'RESOLVED' }, 121],
    [
      'is required (121) to close the bug and may not be blank',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: '' },
      121,
    ],
    [
      'must be known (51) to close the bug',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'DONE' },
      51,
    ],
    [
      'must be active (51) to close the bug',
      buildState('CONFIRMED'),
      { status: 'RESOLVED', resolution: 'EXPIRED' },
      51,
    ],
    ['is rejected on an open bug with 122', buildState('CONFIRMED'), { resolution: 'FIXED' }, 122],
    [
      'is rejected on an open bug with 122 even when it is blank',
      buildState('CONFIRMED'),
      { resolution: '' },
      122,
    ],
    [
      'is rejected on an open bug with 122 even when it is null',
      buildState('CONFIRMED'),
      { resolution: null },
      122,
    ],
    [
      'is rejected as unknown with 51 before it is rejected on an open bug',
      buildState('CONFIRMED'),
      { resolution: 'DONE' },
      51,
    ],
    [
      'is ignored when the request names an open status',
      buildState('CONFIRMED'),
      { status: 'CONFIRMED', resolution: 'DONE' },
      'CONFIRMED//confirmed',
    ],
    [
      'may be changed on a closed bug',
      FIXED,
      { resolution: 'INVALID' },
      'RESOLVED/INVALID/confirmed',
    ],
    [
      'stays when the status alone moves',
      FIXED,
      { status: 'VERIFIED' },
      'VERIFIED/FIXED/confirmed',
    ],
    [
      'may be changed together with the status',
      FIXED,
      { status: 'VERIFIED', resolution: 'INVALID' },
      'VERIFIED/INVALID/confirmed',
    ],
    ['cannot be removed from a closed bug (121)', FIXED, { resolution: '' }, 121],
    [
      'cannot be removed while the bug moves between closed statuses (121)',
      FIXED,
      { status: 'VERIFIED', resolution: null },
      121,
    ],
    ['is removed when the bug is reopened', FIXED, { status: 'CONFIRMED' }, 'CONFIRMED//confirmed'],
    [
      'is removed when the bug is reopened, whatever resolution the request names',
      FIXED,
      { status: 'CONFIRMED', resolution: 'DONE' },
      'CONFIRMED//confirmed',
    ],
    ['cannot become DUPLICATE by name (119)', FIXED, { resolution: 'DUPLICATE' }, 119],
    [
      'may stay DUPLICATE by name',
      DUPLICATE,
      { resolution: 'duplicate' },
      'RESOLVED/DUPLICATE/confirmed',
    ],
    [
      'may stay an inactive one by name',
      buildState('RESOLVED', 'EXPIRED'),
      { resolution: 'EXPIRED' },
      'RESOLVED/EXPIRED/confirmed',
    ],
    [
      'of a closed bug cannot be changed by strangers (115)',
      FIXED,
      { resolution: 'INVALID', standing: NOBODY },
      115,
    ],
    [
      'of a closed bug cannot be changed by confirmers (115)',
      FIXED,
      { resolution: 'INVALID', standing: STANDINGS.confirmer },
      115,
    ],
    [
      'of a closed bug can be changed by its reporter',
      FIXED,
      { resolution: 'INVALID', standing: STANDINGS.reporter },
      'RESOLVED/INVALID/confirmed',
    ],
    [
      'needs no right when it does not change',
      FIXED,
      { resolution: 'FIXED', standing: NOBODY },
      'RESOLVED/FIXED/confirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})

describe('the confirmation of a bug', () => {
  test.each<[string, StatusState, Partial<MoveRequest>, string]>([
    [
      'is set with the first open status other than UNCONFIRMED',
      buildState('UNCONFIRMED'),
      { status: 'IN_PROGRESS' },
      'IN_PROGRESS//confirmed',
    ],
    [
      'is removed with the move back to UNCONFIRMED',
      buildState('CONFIRMED'),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
    [
      'is not set when an unconfirmed bug is closed',
      buildState('UNCONFIRMED'),
      { status: 'RESOLVED', resolution: 'INVALID' },
      'RESOLVED/INVALID/unconfirmed',
    ],
    [
      'is set when a bug that was closed unconfirmed is reopened as CONFIRMED',
      buildState('RESOLVED', 'INVALID', false),
      { status: 'CONFIRMED' },
      'CONFIRMED//confirmed',
    ],
    [
      'is not set when a bug that was closed unconfirmed is reopened as UNCONFIRMED',
      buildState('RESOLVED', 'INVALID', false),
      { status: 'UNCONFIRMED' },
      'UNCONFIRMED//unconfirmed',
    ],
  ])('%s', (_, state, more, expected) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})
