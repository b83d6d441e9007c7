import { afterEach, describe, expect, test, vi } from 'vitest'
import { fault } from '../../src/faults.ts'
import { errorFacts, log } from '../../src/lib/log.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('log writes one JSON object with its level and event', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  log('warn', 'work rescheduled', { notice: 7, code: undefined })
  expect(JSON.parse(String(warn.mock.calls[0]?.[0]))).toEqual({
    level: 'warn',
    event: 'work rescheduled',
    notice: 7,
  })
})

describe('errorFacts', () => {
  test.each([
    ['an error of D1', new Error('D1_ERROR: no such table: x'), 'D1_ERROR: no such table: x'],
    [
      'an unbindable value',
      new Error("Type 'object' not supported for value 'tulip'"),
      "Type 'object' not supported",
    ],
    ['malformed JSON', new SyntaxError('Unexpected token, "tulip" is not valid JSON'), ''],
    ['a thrown text', 'tulip', 'not an error'],
    ['a fault', fault('nameTaken', { kind: 'webhook', name: 'tulip' }), 'nameTaken'],
    [
      'a missing property',
      new TypeError("Cannot use 'in' operator to search for 'a' in tulip"),
      'Cannot use',
    ],
    ['a value of a wrong form', new TypeError('Invalid URL: tulip'), 'Invalid URL'],
    ['a value out of range', new RangeError('Invalid time value'), 'Invalid time value'],
  ])('describes %s without the values that it quotes', (_, error, message) => {
    const facts = errorFacts(error)
    expect(facts.message).toBe(message)
    expect(JSON.stringify(facts)).not.toContain('tulip')
  })

  test('returns at most eight stack frames and no line of the message', () => {
    const error = new Error('first\n    at tulip')
    const { frames } = errorFacts(error)
    expect(frames.length).toBeGreaterThan(0)
    expect(frames.length).toBeLessThanOrEqual(8)
    expect(frames.join()).not.toContain('tulip')
  })
})
