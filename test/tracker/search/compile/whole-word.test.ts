import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import {
  bindWord,
  matchesWordPattern,
  phraseCondition,
  plainPhrasePattern,
  wholeWord,
  wholeWordCondition,
} from '../../../../src/tracker/search/compile/whole-word.ts'
import { insertDiscussion } from '../../../support/builders/discussions.ts'
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

describe('a phrase in a comment', () => {
  const LONG_WORDS = `${'word'.repeat(6)} ${'next'.repeat(4)}`

  function conditionOf(phrase: string, text = sql`body`, isFolded = true) {
    return phraseCondition(
      { words: phrase.split(' '), isFolded },
      {
        low: sql`lower(${text})`,
        text: sql`lower(replace(replace(${text}, '\u212a', 'k'), '\u017f', 's'))`,
        isPlain: sql`octet_length(${text}) = length(${text})`,
      },
    )
  }

  test.each([
    ['See the page.', 'the page', 1],
    ['the page', 'the page', 1],
    ['THE\nPAGE', 'the page', 1],
    ['the pages', 'the page', null],
    ['bathe page, the page', 'the page', 1],
    ['the big page', 'the page', 0],
    ['page the', 'the page', 0],
    ['the, page', 'the page', null],
    ['the ... page', 'the page', null],
    ['the ... big page', 'the page', 0],
    ['is in the page', 'in the page', 1],
    ['of the page', 'in the page', null],
    // what patterns do not hold
    [LONG_WORDS, LONG_WORDS, null],
    ['the page', 'the', null],
    ['über page', 'über page', null],
    // signs of ASCII stand on all sides, or not even the words with others between them
    ['é the page', 'the page', 1],
    ['the\u00a0page', 'the page', null],
    ['é the big page', 'the page', 0],
    ['the \u212aind', 'the kind', null],
  ])('in %j is told from %j without the index: %s', async (text, phrase, expected) => {
    const [row] = await execute(sql`SELECT ${conditionOf(phrase, sql`(SELECT ${text})`)} AS found`)
    expect(row).toEqual({ found: expected })
  })

  test('that is folded may stand in other letters', async () => {
    const condition = conditionOf('the cafe', sql`(SELECT ${'the big café'})`, false)
    expect(await execute(sql`SELECT ${condition} AS found`)).toEqual([{ found: null }])
  })

  test('is where the index finds it', async () => {
    const pieces = [
      'the',
      'page',
      'kind',
      '\u212aind',
      'pa\u017fe',
      'pase',
      'The',
      'a',
      'é',
      'pages',
    ]
    const between = [' ', '\n', ', ', '... ', '-', '—', '\u00a0', '', '_', ' \u0301', '" "', '。']
    const texts = Array.from({ length: 400 }, (_, n) =>
      Array.from({ length: 7 }, (_, k) => {
        const [at, sign] = [(n * 7 + k * k * 3 + n * k) % 10, (n * 5 + k * 7 + ((n * k) % 11)) % 12]
        return `${pieces[at]}${between[sign]}`
      }).join(''),
    )
    const id = await insertDiscussion('Phrases', [...texts, 'the page—the'])
    for (const phrase of ['the page', 'the kind', 'page the', 'a pase', 'the page the']) {
      const isIndexed = sql`EXISTS (SELECT 1 FROM comments_body_fts f
        WHERE f.rowid = comments.id AND f.body MATCH ${`"${phrase}"`})`
      const [row] =
        await execute(sql`SELECT group_concat(body, '|') FILTER (WHERE told <> known) AS wrong,
          sum(known) > 0 AS found, count(told) > 200 AS told
        FROM (SELECT body, ${conditionOf(phrase)} AS told, ${isIndexed} AS known
          FROM comments WHERE bug_id = ${id} LIMIT -1)`)
      expect([phrase, row]).toEqual([phrase, { wrong: null, found: 1, told: 1 }])
    }
  })
})
