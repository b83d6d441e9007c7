import { describe, expect, test } from 'vitest'
import { allOf, sql } from '../../src/db/sql.ts'
import { isShortSearch } from '../../src/search/statement-size.ts'
import { ANYONE, expectFault, get } from '../support/client.ts'

const conditionOf = (pieces: number) =>
  allOf(Array.from({ length: pieces }, (_, n) => sql`instr(bugs.summary_fold, ${`word ${n}`}) > 0`))

describe('the condition of a search', () => {
  test.each([
    [1, true],
    [100, true],
    [1000, false],
  ])('of %i pieces may stand in a statement several times: %s', (pieces, expected) => {
    expect(isShortSearch(conditionOf(pieces), [], pieces)).toBe(expected)
  })

  test('is not looked at when the search has few criteria', () => {
    expect(isShortSearch(conditionOf(1000), [], 4)).toBe(true)
  })

  test('counts with its order, which stands in a statement twice', () => {
    const order = [conditionOf(100)]
    expect(isShortSearch(sql`1`, [sql`bugs.id`], 1)).toBe(true)
    expect(isShortSearch(sql`1`, order, 1)).toBe(true)
    expect(isShortSearch(sql`1`, [...order, ...order, ...order], 1)).toBe(false)
    expect(() => isShortSearch(sql`1`, [conditionOf(1500)], 1)).toThrow('one statement')
  })

  test('is rejected with 32000 when no statement can hold it', async () => {
    expect(() => isShortSearch(conditionOf(5000), [], 5000)).toThrow('one statement')
    const rows = Array.from({ length: 100 }, (_, n) => `f${n}=blocked&o${n}=changedto&v${n}=${n}`)
    expectFault(await get(ANYONE, `/rest/bug?${rows.join('&')}`), 400, 32000, 'one statement')
  })
})
