import { describe, expect, test } from 'vitest'
import { Fault, fault, faultCodes } from '../src/faults.ts'

/** Statuses other than 400 by number; 32000 has some of its own. */
const STATUSES: Record<number, number> = {
  51: 404,
  58: 413,
  101: 404,
  102: 401,
  106: 401,
  109: 401,
  110: 401,
  113: 401,
  115: 401,
  120: 401,
  300: 401,
  301: 401,
  302: 401,
  304: 401,
  410: 401,
  504: 401,
  505: 401,
  32614: 404,
  [-32000]: 500,
}

/** Every number in the contract's table of errors. */
const CONTRACT = [
  50, 51, 52, 54, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 113, 114, 116, 120,
  125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 140, 300, 301, 304, 305, 502, 504, 505,
  600, 601, 603, 604, 606, 700, 701, 702, 703, 705, 706, 800, 801, 802, 803, 804, 805, 1000, 1300,
]

describe('the catalogue', () => {
  test('has every number of the contract', () => {
    const known = new Set(faultCodes().map(({ code }) => code))
    expect(CONTRACT.filter((code) => !known.has(code))).toEqual([])
  })

  test('has the numbers that clients know beside them', () => {
    const known = new Set(faultCodes().map(({ code }) => code))
    for (const code of [53, 55, 56, 58, 112, 115, 119, 121, 122, 123, 306, 307, 410, 500, 501]) {
      expect(known, String(code)).toContain(code)
    }
    for (const code of [32000, 32611, 32614, -32000]) {
      expect(known, String(code)).toContain(code)
    }
  })

  test('never has a number that makes a client think there is no REST', () => {
    expect(faultCodes().map(({ code }) => code)).not.toContain(32610)
  })

  test.each(faultCodes())('gives $name, number $code, its status', ({ name, code, status }) => {
    const exceptions: Record<string, number> = { throttled: 429, busy: 503 }
    expect(status).toBe(exceptions[name] ?? STATUSES[code] ?? 400)
  })
})

describe('a fault', () => {
  test('carries its number, its status and a text that names what is wrong', () => {
    const refusal = fault('notAnInteger', { field: 'ids', value: 'x' })
    expect(refusal).toBeInstanceOf(Fault)
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal).toMatchObject({
      fault: 'notAnInteger',
      code: 52,
      status: 400,
      message: "'ids' must be a whole number above zero, not 'x'.",
    })
  })

  test('tells clients by fixed words whether a key or a password was wrong', () => {
    for (const refusal of [fault('apiKeyInvalid'), fault('apiKeyRevoked')]) {
      expect(refusal.message).toContain('API key')
    }
    expect(fault('badLogin', { hint: '' }).message).toContain('username or password')
  })

  test('of a bug that is hidden advises a login to those who have none', () => {
    expect(fault('bugNotVisible', { given: '7', anonymous: true }).message).toContain('Signing in')
    expect(fault('bugNotVisible', { given: '7', anonymous: false }).message).toBe(
      'You are not allowed to see bug 7.',
    )
  })
})
