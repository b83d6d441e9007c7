import { describe, expect, test } from 'vitest'
import { allOf, sql } from '../../src/db/sql.ts'
import { assertFitsStatement, canRepeat, measureSearch } from '../../src/search/statement-size.ts'
import { ANYONE, expectFault, get } from '../support/client.ts'

const conditionOf = (pieces: number) =>
  allOf(Array.from({ length: pieces }, (_, n) => sql`instr(bugs.summary_fold, ${`word ${n}`}) > 0`))

describe('the condition of a search', () => {
  test.each([
    [1, true],
    [100, true],
    [1000, false],
  ])('of %i pieces may stand in a statement several times: %s', (pieces, expected) => {
    const length = measureSearch(() => conditionOf(pieces), [], pieces)
    expect(canRepeat(length)).toBe(expected)
    expect(() => assertFitsStatement(length)).not.toThrow()
  })

  test('is not looked at when the search has few criteria', () => {
    expect(measureSearch(() => conditionOf(1000), [], 4)).toBe(0)
  })

  test.each([
    ['+', 'AND'],
    ['+', 'OR'],
    ['', 'AND'],
    ['', 'OR'],
    ['-', 'AND'],
  ])('is answered or refused, however many words it has: %sword, %s', async (sign, joined) => {
    const words = Array.from({ length: 30 }, (_, n) => `${sign}word${n}`).join(' ')
    for (const count of [1, 2, 3, 4, 5, 8, 10, 15]) {
      const rows = Array.from({ length: count }, (_, n) => {
        const value = encodeURIComponent(`w${n} ${words}`)
        return `f${n}=content&o${n}=matches&v${n}=${value}`
      })
      for (const end of ['limit=5&count_total=1', 'limit=5&order=changeddate', 'count_only=1']) {
        const answer = await get(ANYONE, `/rest/bug?j_top=${joined}&${rows.join('&')}&${end}`)
        const code = answer.status === 200 ? 200 : answer.body.code
        expect([200, 32000], `${count} ${end} ${answer.text}`).toContain(code)
      }
    }
  })

  test('counts with its order, which stands in a statement twice', () => {
    const order = [conditionOf(100)]
    expect(measureSearch(() => sql`1`, [sql`bugs.id`], 1)).toBe(0)
    expect(canRepeat(measureSearch(() => sql`1`, order, 1))).toBe(true)
    expect(canRepeat(measureSearch(() => sql`1`, [...order, ...order, ...order], 1))).toBe(false)
    const long = measureSearch(() => sql`1`, [conditionOf(1500)], 1)
    expect(() => assertFitsStatement(long)).toThrow('one statement')
  })

  test('is rejected with 32000 when no statement can hold it', async () => {
    const length = measureSearch(() => conditionOf(5000), [], 5000)
    expect(() => assertFitsStatement(length)).toThrow('one statement')
    const rows = Array.from({ length: 100 }, (_, n) => `f${n}=blocked&o${n}=changedto&v${n}=${n}`)
    for (const query of [rows.join('&'), `count_only=1&${rows.join('&')}`]) {
      expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 32000, 'one statement')
    }
  })
})
