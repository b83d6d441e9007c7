import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import type { Expression, PositiveExpression } from '../../../src/tracker/search/expression.ts'
import {
  leaveSummaries,
  limitToFirstComments,
  rewrite,
  separateNegations,
  separateWords,
} from '../../../src/tracker/search/rewrite.ts'
import { buildCondition } from '../../support/search/find-in-all-forms.ts'
import { printExpression } from '../../support/search/print-expression.ts'

const CONTEXT = { caller: ANONYMOUS, configuration: EMPTY_CONFIGURATION }
const NAMED = buildCondition('cc', 'equals', 'a')
const WORDS = ['short_desc', 'keywords', 'cc'].map((field) =>
  buildCondition(field, 'allwords', 'a b,c'),
)

function positive(...members: Expression[]): PositiveExpression {
  return separateNegations({ kind: 'any', members })
}

test('a search of first comments looks for no text in later ones, wherever it stands', () => {
  const text = buildCondition('longdesc', 'substring', 'a')
  const change = buildCondition('longdesc', 'changedby', 'a')
  const limited = limitToFirstComments({
    kind: 'all',
    members: [
      { kind: 'not', member: text },
      { kind: 'any', members: [text, NAMED, { kind: 'unknown' }] },
      { kind: 'sameRow', members: [{ condition: text, isNegated: true }] },
      { kind: 'sameRow', members: [{ condition: change, isNegated: false }] },
    ],
  })
  expect(printExpression(limited)).toBe(
    '(NOT first_comment substring "a" AND (first_comment substring "a" OR cc equals "a" OR UNKNOWN) AND SAME ROW(NOT first_comment substring "a") AND SAME ROW(longdesc changedby "a"))',
  )
})

test('an operator that negates another one becomes a negation, in a row as well', () => {
  const condition = buildCondition('cc', 'notequals', 'a')
  const separated = positive(condition, { kind: 'not', member: condition }, NAMED, {
    kind: 'sameRow',
    members: [
      { condition, isNegated: false },
      { condition, isNegated: true },
    ],
  })
  expect(printExpression(separated)).toBe(
    '(NOT cc equals "a" OR cc equals "a" OR cc equals "a" OR SAME ROW(NOT cc equals "a", cc equals "a"))',
  )
})

test('all words of a set may be in several of its rows, those of a text or a person are in one', () => {
  expect(printExpression(separateWords(positive(...WORDS), CONTEXT))).toBe(
    '(short_desc allwords "a b,c" OR (keywords allwords "a" AND keywords allwords "b" AND keywords allwords "c") OR cc allwords "a b,c")',
  )
})

test('a word that summaries are searched for beside is looked for in comments alone', () => {
  const summary = buildCondition('short_desc', 'substring', 'Crash')
  const others = ['"crash"', 'crash', '"crash now"'].map((value) =>
    buildCondition('content', 'matches', value),
  )
  expect(printExpression(leaveSummaries(positive(summary, ...others)))).toBe(
    '(short_desc substring "Crash" OR comment_words matches "\\"crash\\"" OR content matches "crash" OR content matches "\\"crash now\\"")',
  )
  expect(printExpression(leaveSummaries(positive(...others)))).not.toContain('comment_words')
})

test('groups within a group of their kind are no groups', () => {
  const pair = (kind: 'all' | 'any', ...members: PositiveExpression[]): PositiveExpression => ({
    kind,
    members: [positive(NAMED), ...members],
  })
  expect(
    printExpression(separateNegations(pair('all', pair('all', pair('any', pair('any')))))),
  ).toBe('(cc equals "a" AND cc equals "a" AND (cc equals "a" OR cc equals "a"))')
})

test('all passes find what the search found before, and run in one list', () => {
  const [, words] = WORDS
  const expression: Expression = {
    kind: 'all',
    members: [buildCondition('keywords', 'nowords', 'd'), ...(words === undefined ? [] : [words])],
  }
  expect(printExpression(rewrite(expression, CONTEXT))).toBe(
    '(NOT keywords anywords "d" AND keywords allwords "a" AND keywords allwords "b" AND keywords allwords "c")',
  )
})
