import { expect, test } from 'vitest'
import { compile } from '../../../../src/platform/db/compile.ts'
import { sql } from '../../../../src/platform/db/sql.ts'
import { commentCandidates } from '../../../../src/tracker/search/compile/text-index.ts'
import type { RowOperator } from '../../../../src/tracker/search/operators.ts'

const LONG = 'word '.repeat(100).trim()

/** The query of the index; undefined for no candidates. */
function queryOf(operator: RowOperator, values: string[]): unknown {
  const candidates = commentCandidates(operator, values, sql`1`)
  return candidates && compile(candidates.select).params[0]
}

test.each<[RowOperator, string[], string | undefined]>([
  ['equals', ['All of IT'], '"all of it"'],
  ['anyexact', ['One', 'two'], '"one" OR "two"'],
  ['equals', [LONG], '"word word word"'],
  ['anyexact', [LONG, 'one'], '"word" OR "one"'],
  ['equals', ['???'], undefined],
  ['anyexact', ['one', '???'], undefined],
  ['substring', ['ash of the re'], '" of the"'],
  ['substring', ['crash'], undefined],
  ['substring', ['of the'], undefined],
  ['substring', ['a "quoted" word'], '" ""quoted"""'],
  ['substring', ['ÄRGER über Straße'], '" über"'],
  ['casesubstring', ['x AND y'], '" and"'],
  ['anywords', ['one two'], '"one" OR "two"'],
  ['anywords', ['one ++'], undefined],
  ['allwords', ['a longer word ++ longest'], '"longest" AND "longer" AND "word"'],
  ['allwords', ['++'], undefined],
  ['allwordssubstr', ['crash x-report-y'], '"-report"'],
  ['anywordssubstr', ['crash x-report-y'], undefined],
  ['substring', ['a nul\0 b'], undefined],
  ['isnotempty', [], undefined],
])('for %s %j the index is asked for %s', (operator, values, query) => {
  expect(queryOf(operator, values)).toBe(query)
})
