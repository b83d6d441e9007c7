import { describe, expect, test } from 'vitest'
import {
  decideInitialStatus,
  type InitialStatusRequest,
} from '../../../src/bugs/file/initial-status.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { RESOLUTIONS, STATUSES } from '../../support/worlds/workflow.ts'

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
    const why = RESOLUTIONS.find(({ id }) => id === resolutionId)
    return [start?.name, why?.name, isConfirmed ? 'confirmed' : 'unconfirmed'].join('/')
  })
}

describe('a new bug starts', () => {
  test.each<[string, Partial<InitialStatusRequest>, string | number]>([
    ['confirmed for who may confirm', {}, 'CONFIRMED//confirmed'],
    ['unconfirmed for anybody else', { mayChoose: false }, 'UNCONFIRMED//unconfirmed'],
    [
      'confirmed for anybody where there is nothing else',
      { mayChoose: false, hasUnconfirmed: false },
      'CONFIRMED//confirmed',
    ],
    ['as chosen', { status: 'in_progress' }, 'IN_PROGRESS//confirmed'],
    ['unconfirmed by choice', { status: 'UNCONFIRMED' }, 'UNCONFIRMED//unconfirmed'],
    ['by default when the choice is blank', { status: ' ' }, 'CONFIRMED//confirmed'],
    [
      'regardless of a choice that is not the caller’s',
      { mayChoose: false, status: 'nonsense', resolution: 'nonsense' },
      'UNCONFIRMED//unconfirmed',
    ],
    ['not in a status that is no start', { status: 'VERIFIED' }, 123],
    ['not in an unknown status', { status: 'NEW' }, 51],
    [
      'not unconfirmed where the product knows no such bugs',
      { status: 'UNCONFIRMED', hasUnconfirmed: false },
      123,
    ],
    [
      'closed with a resolution',
      { status: 'RESOLVED', resolution: 'fixed' },
      'RESOLVED/FIXED/confirmed',
    ],
    ['not closed without one', { status: 'RESOLVED' }, 121],
    ['not closed with a blank one', { status: 'RESOLVED', resolution: ' ' }, 121],
    ['not closed with an unknown one', { status: 'RESOLVED', resolution: 'DONE' }, 51],
    ['not closed with an inactive one', { status: 'RESOLVED', resolution: 'EXPIRED' }, 51],
    ['not as a duplicate', { status: 'RESOLVED', resolution: 'DUPLICATE' }, 119],
    ['not open with a resolution', { status: 'CONFIRMED', resolution: 'FIXED' }, 122],
    ['not open with any resolution', { resolution: 'nonsense' }, 122],
    ['open with a blank one', { resolution: '' }, 'CONFIRMED//confirmed'],
  ])('%s', (_, more, expected) => {
    expect(startWith(more)).toBe(expected)
  })

  test('in the first status of the workflow’s order, whatever it is called', () => {
    const statuses = STATUSES.map((one) =>
      one.name === 'CONFIRMED' ? { ...one, isInitial: false } : one,
    )
    expect(startWith({ statuses })).toBe('IN_PROGRESS//confirmed')
  })

  test('in no status that has been switched off', () => {
    const statuses = STATUSES.map((one) =>
      one.name === 'CONFIRMED' ? { ...one, isActive: false } : one,
    )
    expect(startWith({ statuses })).toBe('IN_PROGRESS//confirmed')
    expect(startWith({ statuses, status: 'CONFIRMED' })).toBe(123)
  })

  test('with a description where the workflow asks for a comment', () => {
    const statuses = STATUSES.map((one) => ({ ...one, needsDescription: true }))
    expect(startWith({ statuses })).toBe(32000)
    expect(startWith({ statuses, hasDescription: true })).toBe('CONFIRMED//confirmed')
  })
})
