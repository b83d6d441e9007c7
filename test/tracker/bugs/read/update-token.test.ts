import { describe, expect, test } from 'vitest'
import {
  computeUpdateTokens,
  UpdateTokens,
} from '../../../../src/tracker/bugs/read/update-token.ts'

const SECRET = 'a secret for tokens'

const compute = (callerId: number, bugId: number, changedAt: number, secret = SECRET) =>
  computeUpdateTokens([{ callerId, bugId, changedAt }], secret).join()

describe('an update token', () => {
  // computed with another implementation of HKDF and AES
  test.each([
    ['1700000001-21acd8504462e664703acbd00db54925', 7, 42, 1_700_000_001, SECRET],
    ['1700000002-1fc294275dc4058eae56d1a0f936de0e', 7, 42, 1_700_000_002, SECRET],
    [
      '281474976710655-25e05ffddb7726b87d17986aa60b3868',
      2 ** 40 - 1,
      2 ** 40 - 1,
      2 ** 48 - 1,
      SECRET,
    ],
    [
      '1700000001-9d64418950eb895524e759344c000397',
      7,
      42,
      1_700_000_001,
      'a secret of another installation',
    ],
  ])(
    'is %s for caller %i, bug %i, changed at %i, under %j',
    (token, caller, bug, changed, secret) => {
      expect(compute(caller, bug, changed, secret)).toBe(token)
    },
  )

  test('differs between any callers, bugs and states', () => {
    const few = [0, 1, 2, 255, 256, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 39]
    const digits = few.flatMap((caller) =>
      few.flatMap((bug) => few.map((changed) => compute(caller, bug, changed).split('-')[1])),
    )
    expect(new Set(digits).size).toBe(few.length ** 3)
  })

  test('is the same whatever other tokens were computed in between', () => {
    const first = compute(7, 42, 1_700_000_001)
    compute(8, 43, 1_700_000_002)
    compute(7, 42, 1_700_000_001, 'another secret')
    expect(compute(7, 42, 1_700_000_001)).toBe(first)
  })

  test('is computed after a number failed that has no place in it', () => {
    const first = compute(7, 42, 1_700_000_001)
    for (const [caller, bug, changed] of [
      [2 ** 40, 42, 0],
      [7, 2 ** 40, 0],
      [7, 42, 2 ** 48],
      [-1, 42, 0],
    ] as const) {
      expect(() => compute(caller, bug, changed)).toThrow(RangeError)
    }
    expect(compute(7, 42, 1_700_000_001)).toBe(first)
  })

  test('is the same alone and among those of a page, of which a broken one fails alone', () => {
    const rows = [41, 42, 43].map((id) => ({ id, changedAt: 1_700_000_000 + id }))
    const tokens = new UpdateTokens(7, SECRET)
    tokens.setRows([...rows, { id: 44, changedAt: -1 }])
    for (const { id, changedAt } of rows) {
      expect(tokens.tokenOf(id, changedAt)).toBe(compute(7, id, changedAt))
    }
    expect(() => tokens.tokenOf(44, -1)).toThrow(RangeError)
    expect(tokens.tokenOf(45, 5)).toBe(compute(7, 45, 5))
  })
})
