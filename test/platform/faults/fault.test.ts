import { describe, expect, test } from 'vitest'
import { bugNotVisible } from '../../../src/platform/access/faults.ts'
import { Fault, fault, notAnInteger } from '../../../src/platform/faults/fault.ts'
import { faultKinds, namedFaultKinds } from '../../support/fault-kinds.ts'

/** The numbers that compatibility needs. */
const REQUIRED_CODES = [
  50, 51, 52, 54, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 113, 114, 116, 120,
  125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 140, 300, 301, 304, 305, 502, 504, 505,
  600, 601, 603, 604, 606, 700, 701, 702, 703, 705, 706, 800, 801, 802, 803, 804, 805, 1000, 1300,
]

describe('the fault catalogue', () => {
  test('has every number that compatibility needs', () => {
    const codes = new Set(faultKinds.map(({ code }) => code))
    expect(REQUIRED_CODES.filter((code) => !codes.has(code))).toEqual([])
  })

  test('has the other numbers that clients know', () => {
    const codes = new Set(faultKinds.map(({ code }) => code))
    for (const code of [53, 55, 56, 58, 112, 115, 119, 121, 122, 123, 306, 307, 410, 500, 501]) {
      expect(codes, String(code)).toContain(code)
    }
    for (const code of [32000, 32611, 32614, -32000]) {
      expect(codes, String(code)).toContain(code)
    }
  })

  test('has no 32610, which clients take for a site without a REST API', () => {
    expect(faultKinds.map(({ code }) => code)).not.toContain(32610)
  })

  test('calls each fault by the name that the source exports', () => {
    const misnamed = namedFaultKinds.filter(([exported, { name }]) => exported !== name)
    expect(misnamed).toEqual([])
    expect(new Set(faultKinds.map(({ name }) => name)).size).toBe(faultKinds.length)
  })
})

describe('fault', () => {
  test('returns an error with the number, the status and a message that names the field', () => {
    const error = fault(notAnInteger, { field: 'ids', value: 'x' })
    expect(error).toBeInstanceOf(Fault)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      kind: notAnInteger,
      code: 52,
      status: 400,
      message: "'ids' must be a whole number above zero, not 'x'.",
    })
  })

  test('keeps what its sentence was made of, and hands it to nothing that copies or writes it', () => {
    const error = fault(bugNotVisible, { given: 'secret', anonymous: false })
    expect(error.details).toEqual({ given: 'secret', anonymous: false })
    expect(JSON.stringify(error)).not.toContain('secret')
    expect(Object.keys({ ...error }).sort()).toEqual(['code', 'kind', 'name', 'status'])
  })

  test.each([
    [300, 'username or password'],
    [306, 'API key'],
  ])('every message of %i has the words "%s", by which clients know it', (code, words) => {
    const kinds = faultKinds.filter((kind) => kind.code === code)
    expect(kinds.length).toBeGreaterThan(1)
    for (const { message } of kinds) {
      expect((message as (details: object) => string)({ hint: '', at: '' })).toContain(words)
    }
  })

  test('advises anonymous callers alone to log in to see a hidden bug', () => {
    expect(fault(bugNotVisible, { given: '7', anonymous: true }).message).toContain('Signing in')
    expect(fault(bugNotVisible, { given: '7', anonymous: false }).message).toBe(
      'You are not allowed to see bug 7.',
    )
  })
})
