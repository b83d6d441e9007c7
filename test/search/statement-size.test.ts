import { describe, expect, test } from 'vitest'
import { allOf, sql } from '../../src/db/sql.ts'
import { isShortCondition } from '../../src/search/statement-size.ts'
import { ANYONE, expectFault, get } from '../support/client.ts'

const conditionOf = (pieces: number) =>
  allOf(Array.from({ length: pieces }, (_, n) => sql`instr(bugs.summary_fold, ${`word ${n}`}) > 0`))

describe('the condition of a search', () => {
  test.each([
    [1, true],
    [100, true],
    [1000, false],
  ])('of %i pieces may stand in a statement several times: %s', (pieces, expected) => {
    expect(isShortCondition(conditionOf(pieces), pieces)).toBe(expected)
  })

  test('is not looked at when the search has few criteria', () => {
    expect(isShortCondition(conditionOf(1000), 4)).toBe(true)
  })

  test('is rejected with 32000 when no statement can hold it', async () => {
    expect(() => isShortCondition(conditionOf(5000), 5000)).toThrow('one statement')
    const rows = Array.from({ length: 100 }, (_, n) => `f${n}=blocked&o${n}=changedto&v${n}=${n}`)
    expectFault(await get(ANYONE, `/rest/bug?${rows.join('&')}`), 400, 32000, 'one statement')
  })
})
