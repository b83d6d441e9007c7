import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import {
  bindWord,
  matchesWordPattern,
  plainPhrasePattern,
  wholeWord,
  wholeWordCondition,
} from '../../../../src/tracker/search/compile/whole-word.ts'
import { execute } from '../../../support/database/execute.ts'

const LONG = 'a-word-of-more-than-thirty-bytes-that-no-pattern-holds'

describe('a whole word', () => {
  test.each([
    ['leave-open', 'open', true],
    ['leave_open', 'open', true],
    ['reopened', 'open', false],
    ['open', 'open', true],
    ['review+', 'review+', true],
    ['crashes, crash!', 'crash', true],
    ['crashes', 'crash', false],
    ['crash2', 'crash', false],
    ['', 'x', false],
    // letters outside ASCII are letters, signs outside ASCII are none
    ['café', 'caf', false],
    ['écaf', 'caf', false],
    ['“caf”', 'caf', true],
    ['caf—é', 'caf', true],
    ['über', 'über', true],
    ['drüber', 'über', false],
    ['日本語', '日本', false],
    ['日本、語', '日本', true],
    ['foo²', 'foo', false],
    ['①b', 'b', false],
    ['x\u{1f600}y', 'x', true],
    // a place further on counts too
    ['cafés caf', 'caf', true],
    ['aaaa é a', 'a', true],
    // what patterns take for something else
    ['a*b', 'a*b', true],
    ['axb', 'a*b', false],
    ['[x]', '[x]', true],
    ['x', '[x]', false],
    ['a?', 'a?', true],
    ['ab', 'a?', false],
    // words that are too long for a pattern
    [`the ${LONG} is`, LONG, true],
    [`the ${LONG}s is`, LONG, false],
    [`x${LONG} ${LONG}`, LONG, true],
  ])('in %j is %j: %s', async (text, word, expected) => {
    const [row] = await execute(
      sql`SELECT ${wholeWordCondition(sql`(SELECT ${text})`, bindWord(wholeWord(word)))} AS found`,
    )
    expect(row).toEqual({ found: expected ? 1 : 0 })
  })
})

describe('the pattern of a phrase', () => {
  const LONGER = Array.from({ length: 9 }, (_, n) => `word${n}`)

  test.each([
    ['a b', 'a b', true],
    ['see a/b.', 'a b', true],
    ['a, then b', 'a b', true],
    ['b a', 'a b', false],
    ['a bb', 'a b', true],
    ['a bc', 'a b', false],
    // the words that fit into it decide
    [LONGER.join(' '), LONGER.join(' '), true],
    ['word0', LONGER.join(' '), false],
  ])('in %j has words with the ends of %j: %s', async (text, phrase, expected) => {
    const pattern = plainPhrasePattern(phrase.split(' '))
    const [row] = await execute(
      sql`SELECT ${matchesWordPattern(sql`(SELECT ${text})`, sql`${pattern}`)} AS found`,
    )
    expect(row).toEqual({ found: expected ? 1 : 0 })
  })

  test('is none of one word, or of words outside ASCII', () => {
    expect(['a', 'a ü', ''].map((words) => plainPhrasePattern(words.split(' ')))).toEqual([
      null,
      null,
      null,
    ])
  })
})
