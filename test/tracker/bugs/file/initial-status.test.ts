import { describe, expect, test } from 'vitest'
import {
  decideInitialStatus,
  type InitialStatusRequest,
} from '../../../../src/tracker/bugs/file/initial-status.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'
import { RESOLUTIONS, STATUSES } from '../../../support/worlds/workflow.ts'

function startWith(more: Partial<InitialStatusRequest>): string | number {
  return catchFaultCode(() => {
    const { statusId, resolutionId, isConfirmed } = decideInitialStatus({
      statuses: STATUSES,
      resolutions: RESOLUTIONS,
      hasUnconfirmed: true,
      mayChoose: true,
      status: undefined,
      resolution: undefined,
      hasDescription: false,
      ...more,
    })
    const start = STATUSES.find(({ id }) => id === statusId)
    const resolution = RESOLUTIONS.find(({ id }) => id === resolutionId)
    return [start?.name, resolution?.name, isConfirmed ? 'confirmed' : 'unconfirmed'].join('/')
  })
}

describe('the status of a new bug', () => {
  test.each<[string, Partial<InitialStatusRequest>, string | number]>([
    ['is confirmed for people who may confirm', {}, 'CONFIRMED//confirmed'],
    ['is unconfirmed for everybody else', { mayChoose: false }, 'UNCONFIRMED//unconfirmed'],
    [
      'is confirmed for everybody in a product without unconfirmed bugs',
      { mayChoose: false, hasUnconfirmed: false },
      'CONFIRMED//confirmed',
    ],
    ['is the one that the request names', { status: 'in_progress' }, 'IN_PROGRESS//confirmed'],
    ['may be UNCONFIRMED by choice', { status: 'UNCONFIRMED' }, 'UNCONFIRMED//unconfirmed'],
    ['is the default when the choice is blank', { status: ' ' }, 'CONFIRMED//confirmed'],
    [
      'ignores a choice that the caller may not make',
      { mayChoose: false, status: 'nonsense', resolution: 'nonsense' },
      'UNCONFIRMED//unconfirmed',
    ],
    ['is rejected with 123 when no bug starts in it', { status: 'VERIFIED' }, 123],
    ['is rejected with 51 when it is unknown', { status: 'NEW' }, 51],
    [
      'is rejected with 123 when the product has no unconfirmed bugs',
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      123,
    ],
    [
      'may be closed with a resolution',
      { status: 'RESOLVED', resolution: 'fixed' },
      'RESOLVED/FIXED/confirmed',
    ],
    ['is rejected with 121 when it is closed without a resolution', { status: 'RESOLVED' }, 121],
    [
      'is rejected with 121 when it is closed with a blank resolution',
      { status: 'RESOLVED', resolution: ' ' },
      121,
    ],
    [
      'is rejected with 51 when the resolution is unknown',
      { status: 'RESOLVED', resolution: 'DONE' },
      51,
    ],
    [
      'is rejected with 51 when the resolution is inactive',
      { status: 'RESOLVED', resolution: 'EXPIRED' },
      51,
    ],
    [
      'is rejected with 119 when the resolution is DUPLICATE',
      { status: 'RESOLVED', resolution: 'DUPLICATE' },
      119,
    ],
    [
      'is rejected with 122 when it is open with a resolution',
      { status: 'CONFIRMED', resolution: 'FIXED' },
      122,
    ],
    [
      'is rejected with 122 when the default is open and there is a resolution',
      { resolution: 'nonsense' },
      122,
    ],
    ['may be open with a blank resolution', { resolution: '' }, 'CONFIRMED//confirmed'],
  ])('%s', (_, more, expected) => {
    expect(startWith(more)).toBe(expected)
  })

  test('is the first initial status in the order of the workflow', () => {
    const statuses = STATUSES.map((one) =>
      one.name === 'CONFIRMED' ? { ...one, isInitial: false } : one,
    )
    expect(startWith({ statuses })).toBe('IN_PROGRESS//confirmed')
  })

  test('is never an inactive one', () => {
    const statuses = STATUSES.map((one) =>
      one.name === 'CONFIRMED' ? { ...one, isActive: false } : one,
    )
    expect(startWith({ statuses })).toBe('IN_PROGRESS//confirmed')
    expect(startWith({ statuses, status: 'CONFIRMED' })).toBe(123)
  })

  test('needs a description where the workflow requires a comment', () => {
    const statuses = STATUSES.map((one) => ({ ...one, needsDescription: true }))
    expect(startWith({ statuses })).toBe(32000)
    expect(startWith({ statuses, hasDescription: true })).toBe('CONFIRMED//confirmed')
  })
})
