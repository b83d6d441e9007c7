import { describe, expect, test } from 'vitest'
import { expiryOrNever, planMailTimes, requireFuture } from '../../../src/tracker/keys/expiry.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const DAY = 86_400

describe('an expiry', () => {
  test('lies in the future, or is none', () => {
    expect(requireFuture(11, 10)).toBe(11)
    expect(requireFuture(null, 10)).toBe(null)
    expect(catchFaultCode(() => requireFuture(10, 10))).toBe(53)
  })

  test.each<[unknown, number | null | undefined]>([
    ['1970-01-02', DAY],
    ['never', null],
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
  ])('is parsed: %j', (given, parsed) => {
    expect(expiryOrNever().parse(given)).toBe(parsed)
  })
})

describe('the times of mails about an expiry', () => {
  test.each<[string, number | null, number[]]>([
    ['none for a key that stays', null, []],
    ['a week before, and as the day begins', 40 * DAY + 3600, [33 * DAY + 3600, 40 * DAY]],
    ['as the last day begins for an end at midnight', 40 * DAY, [33 * DAY, 39 * DAY]],
    ['the day alone for a key of less than a week', 15 * DAY + 3600, [15 * DAY]],
    ['none for a key that ends today', 10 * DAY + 3600, []],
  ])('are %s', (_, expiresAt, times) => {
    expect(planMailTimes(expiresAt, 10 * DAY + 60)).toEqual(times)
  })
})
