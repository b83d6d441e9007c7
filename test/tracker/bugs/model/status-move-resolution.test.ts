import { describe, expect, test } from 'vitest'
import type { MoveRequest, StatusState } from '../../../../src/tracker/bugs/model/status-move.ts'
import { buildState, moveBug, NOBODY, STANDINGS } from '../../../support/worlds/status-moves.ts'

const FIXED = buildState('RESOLVED', 'FIXED')
const DUPLICATE = buildState('RESOLVED', 'DUPLICATE')

describe('the resolution of a bug', () => {
  test.each<
    [string, { state: StatusState; request: Partial<MoveRequest>; expected: string | number }]
  >([
    [
      'is set when the bug is closed',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'RESOLVED', resolution: 'fixed' },
        expected: 'RESOLVED/FIXED/confirmed',
      },
    ],
    [
      'is required (121) to close the bug',
      { state: buildState('CONFIRMED'), request: { status: 'RESOLVED' }, expected: 121 },
    ],
    [
      'is required (121) to close the bug and may not be blank',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'RESOLVED', resolution: '' },
        expected: 121,
      },
    ],
    [
      'must be known (51) to close the bug',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'RESOLVED', resolution: 'DONE' },
        expected: 51,
      },
    ],
    [
      'must be active (51) to close the bug',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'RESOLVED', resolution: 'EXPIRED' },
        expected: 51,
      },
    ],
    [
      'is rejected on an open bug with 122',
      { state: buildState('CONFIRMED'), request: { resolution: 'FIXED' }, expected: 122 },
    ],
    [
      'is rejected on an open bug with 122 even when it is blank',
      { state: buildState('CONFIRMED'), request: { resolution: '' }, expected: 122 },
    ],
    [
      'is rejected on an open bug with 122 even when it is null',
      { state: buildState('CONFIRMED'), request: { resolution: null }, expected: 122 },
    ],
    [
      'is rejected as unknown with 51 before it is rejected on an open bug',
      { state: buildState('CONFIRMED'), request: { resolution: 'DONE' }, expected: 51 },
    ],
    [
      'is ignored when the request names an open status',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'CONFIRMED', resolution: 'DONE' },
        expected: 'CONFIRMED//confirmed',
      },
    ],
    [
      'may be changed on a closed bug',
      { state: FIXED, request: { resolution: 'INVALID' }, expected: 'RESOLVED/INVALID/confirmed' },
    ],
    [
      'stays when the status alone moves',
      { state: FIXED, request: { status: 'VERIFIED' }, expected: 'VERIFIED/FIXED/confirmed' },
    ],
    [
      'may be changed together with the status',
      {
        state: FIXED,
        request: { status: 'VERIFIED', resolution: 'INVALID' },
        expected: 'VERIFIED/INVALID/confirmed',
      },
    ],
    [
      'cannot be removed from a closed bug (121)',
      { state: FIXED, request: { resolution: '' }, expected: 121 },
    ],
    [
      'cannot be removed while the bug moves between closed statuses (121)',
      { state: FIXED, request: { status: 'VERIFIED', resolution: null }, expected: 121 },
    ],
    [
      'is removed when the bug is reopened',
      { state: FIXED, request: { status: 'CONFIRMED' }, expected: 'CONFIRMED//confirmed' },
    ],
    [
      'is removed when the bug is reopened, whatever resolution the request names',
      {
        state: FIXED,
        request: { status: 'CONFIRMED', resolution: 'DONE' },
        expected: 'CONFIRMED//confirmed',
      },
    ],
    [
      'cannot become DUPLICATE by name (119)',
      { state: FIXED, request: { resolution: 'DUPLICATE' }, expected: 119 },
    ],
    [
      'may stay DUPLICATE by name',
      {
        state: DUPLICATE,
        request: { resolution: 'duplicate' },
        expected: 'RESOLVED/DUPLICATE/confirmed',
      },
    ],
    [
      'may stay an inactive one by name',
      {
        state: buildState('RESOLVED', 'EXPIRED'),
        request: { resolution: 'EXPIRED' },
        expected: 'RESOLVED/EXPIRED/confirmed',
      },
    ],
    [
      'of a closed bug cannot be changed by strangers (115)',
      { state: FIXED, request: { resolution: 'INVALID', standing: NOBODY }, expected: 115 },
    ],
    [
      'of a closed bug cannot be changed by confirmers (115)',
      {
        state: FIXED,
        request: { resolution: 'INVALID', standing: STANDINGS.confirmer },
        expected: 115,
      },
    ],
    [
      'of a closed bug can be changed by its reporter',
      {
        state: FIXED,
        request: { resolution: 'INVALID', standing: STANDINGS.reporter },
        expected: 'RESOLVED/INVALID/confirmed',
      },
    ],
    [
      'needs no right when it does not change',
      {
        state: FIXED,
        request: { resolution: 'FIXED', standing: NOBODY },
        expected: 'RESOLVED/FIXED/confirmed',
      },
    ],
  ])('%s', (_, { state, request: more, expected }) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})

describe('the confirmation of a bug', () => {
  test.each<[string, { state: StatusState; request: Partial<MoveRequest>; expected: string }]>([
    [
      'is set with the first open status other than UNCONFIRMED',
      {
        state: buildState('UNCONFIRMED'),
        request: { status: 'IN_PROGRESS' },
        expected: 'IN_PROGRESS//confirmed',
      },
    ],
    [
      'is removed with the move back to UNCONFIRMED',
      {
        state: buildState('CONFIRMED'),
        request: { status: 'UNCONFIRMED' },
        expected: 'UNCONFIRMED//unconfirmed',
      },
    ],
    [
      'is not set when an unconfirmed bug is closed',
      {
        state: buildState('UNCONFIRMED'),
        request: { status: 'RESOLVED', resolution: 'INVALID' },
        expected: 'RESOLVED/INVALID/unconfirmed',
      },
    ],
    [
      'is set when a bug that was closed unconfirmed is reopened as CONFIRMED',
      {
        state: buildState('RESOLVED', 'INVALID', false),
        request: { status: 'CONFIRMED' },
        expected: 'CONFIRMED//confirmed',
      },
    ],
    [
      'is not set when a bug that was closed unconfirmed is reopened as UNCONFIRMED',
      {
        state: buildState('RESOLVED', 'INVALID', false),
        request: { status: 'UNCONFIRMED' },
        expected: 'UNCONFIRMED//unconfirmed',
      },
    ],
  ])('%s', (_, { state, request: more, expected }) => {
    expect(moveBug(state, more)).toBe(expected)
  })
})
