import { describe, expect, test } from 'vitest'
import { bugs } from '../../../../../src/platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../../../../src/platform/db/sql.ts'
import {
  LAST_CHANGE,
  relevanceOf,
} from '../../../../../src/tracker/search/compile/content/content.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  negate,
} from '../../../../../src/tracker/search/expression.ts'
import { buildCaller } from '../../../../support/builders/callers.ts'
import { insertDiscussion } from '../../../../support/builders/discussions.ts'
import { execute } from '../../../../support/database/execute.ts'
import { explainQueryPlan } from '../../../../support/database/explain-query-plan.ts'
import {
  buildCondition,
  buildContext,
  findInAllForms,
} from '../../../../support/search/find-in-all-forms.ts'
import { compileSearch, formsOf } from '../../../../support/search-forms.ts'

const INSIDER = buildCaller({ id: 9_000_001, login: 'insider@a.test' }, ['insider'])

const ids: number[] = []
const discussions: Parameters<typeof insertDiscussion>[] = [
  ['Crash-report: of the sprocket', ['It happens always.', 'a b, c']],
  ['Sprocket in the window', ['The crash (report) is here', 'profiler output', 'ab']],
  ['A report about a crash', ['nothing_else', ['zymurgy behind the scenes']]],
  ['Ärger mit der Größe 🔥 100%', ['ÄRGER! łódź', 'x'.repeat(3000), '日本語のテスト']],
  ['ab, the short one', ['crashes crashed', 'sprockets']],
  ['Something else', [['sprocket'], 'quo"te']],
]
for (const [summary, comments] of discussions) {
  ids.push(await insertDiscussion(summary, comments))
}

const find = (
  value: string,
  operator: 'matches' | 'notmatches' = 'matches',
  context = buildContext(),
) => findInAllForms(buildCondition('content', operator, value), ids, context)

describe('content matches', () => {
  test.each(['sang', 'k', '300 k', 'SANG', '"k today"'])(
    'the letters that the index takes for capitals of s and k: %s',
    async (value) => {
      const bug = await insertDiscussion('Old letters', ['they ſang', 'heated to 300 \u212A today'])
      const condition = buildCondition('content', 'matches', value)
      expect(await findInAllForms(condition, [bug], buildContext())).toEqual([0])
    },
  )

  test.each(['CO₂', 'm²', 'ﬁle', 'ａｂｃ', '𝐚𝐛'])(
    'a word in the form in which it was written, beside others: %s',
    async (word) => {
      const bugs = [
        await insertDiscussion('None here', [`the ${word} of it, quokkas`]),
        await insertDiscussion('None here', ['another text – quokkas']),
      ]
      const findAmong = (value: string, operator: 'matches' | 'notmatches' = 'matches') =>
        findInAllForms(buildCondition('content', operator, value), bugs, buildContext())
      expect(await findAmong(`+${word} +quokkas`)).toEqual([0])
      expect(await findAmong(`quokkas -${word}`)).toEqual([1])
      expect(await findAmong(word)).toEqual([0])
      expect(await findAmong(word, 'notmatches')).toEqual([1])
    },
  )

  test.each([
    ['crash', true],
    ['then recrash and crash', true],
    ['crashes crash', true],
    ['crashes recrash', false],
    ['…crash…', true],
    ['crashł', false],
    ['łcrash crash', true],
    ['łcrash', false],
    ['crash_2', true],
    ['crash2', false],
    ['\u017fcrash cra\u017fh', true],
    ['\u017fcrash', false],
  ])('one whole word among others: %s', async (text, isFound) => {
    const bug = await insertDiscussion('Nothing in the summary', [text])
    const condition = buildCondition('content', 'matches', 'crash')
    expect(await findInAllForms(condition, [bug], buildContext())).toEqual(isFound ? [0] : [])
  })

  test.each<[string, number[]]>([
    ['sprocket', [0, 1]],
    ['SPROCKET', [0, 1]],
    ['sprocket*', [0, 1, 4]],
    ['sprock', []],
    ['profil', []],
    ['profil*', [1]],
    ['crash', [0, 1, 2]],
    ['crash profiler', [0, 1, 2]],
    ['crash-report', [0, 1, 2]],
    ['"crash report"', [0, 1]],
    ['"crash-report"', [0, 1]],
    ['"report crash"', []],
    ['"report of the sprocket"', [0]],
    ['"report, about: a crash"', [2]],
    ['+crash +always', [0]],
    ['+crash +here +profiler +sprocket +output', [1]],
    ['+crash always', [0, 1, 2]],
    ['+crash +nowhere', []],
    ['crash -sprocket', [2]],
    ['sprocket -"crash report"', []],
    ['sprocket* -crash-report', [4]],
    ['-crash', []],
    ['+-crash', [0, 1, 2]],
    ['ab', [1, 4]],
    ['+ab +sprocket', [1]],
    ['"ab the"', [4]],
    ['c', [0]],
    ['nothing', [2]],
    ['else', [2, 5]],
    ['ärger', [3]],
    ['Ärg*', [3]],
    ['arger', []],
    ['größe', [3]],
    ['"größe 100"', [3]],
    ['"der größe"', [3]],
    ['ŁÓDŹ', [3]],
    ['łódź*', [3]],
    ['ｓｐｒｏｃｋｅｔ', [0, 1]],
    ['日本語のテスト', [3]],
    ['日本*', [3]],
    ['x'.repeat(3000), [3]],
    ['x'.repeat(2999), []],
    [`${'x'.repeat(200)}*`, [3]],
    ['the it', [0, 1, 4]],
    ['te', [5]],
    ['quo"te', [5]],
  ])('%s', async (value, expected) => {
    expect(await find(value)).toEqual(expected)
    const others = ids.map((_, n) => n).filter((n) => !expected.includes(n))
    expect(await find(value, 'notmatches')).toEqual(others)
  })

  test.each(['', '"', '""', '*', '+', '- "?!" …', '🔥', '\0', '%', "'; --"])(
    'is unknown without a word: %j',
    async (value) => {
      expect(await find(value)).toEqual([])
      expect(await find(value, 'notmatches')).toEqual([])
    },
  )

  test.each([
    'sprocket" OR "x',
    'NEAR(sprocket crash)',
    'body:sprocket',
    '{body}: sprocket AND NOT crash',
    '^sprocket',
    "sprocket') OR 1=1 --",
    'spro\0cket sprocket',
    'sprocket\\',
    '(sprocket',
    'sprocket🔥crash',
  ])('takes every sign for a gap between words: %j', async (value) => {
    expect(await find(value)).toEqual(expect.arrayContaining([0, 1]))
  })

  test('finds no private comment, and excludes nobody by one', async () => {
    expect(await find('zymurgy')).toEqual([])
    expect(await find('zymurgy', 'notmatches')).toEqual([0, 1, 2, 3, 4, 5])
    expect(await find('else -zymurgy')).toEqual([2, 5])
    const asInsider = buildContext(INSIDER)
    expect(await find('zymurgy', 'matches', asInsider)).toEqual([2])
    expect(await find('sprocket', 'matches', asInsider)).toEqual([0, 1, 5])
    expect(await find('else -zymurgy', 'matches', asInsider)).toEqual([5])
  })

  test('combines with other conditions', async () => {
    const [crash, sprocket] = ['crash', 'sprocket'].map((word) =>
      buildCondition('content', 'matches', word),
    )
    if (crash === undefined || sprocket === undefined) {
      throw new Error('both are defined')
    }
    expect(await findInAllForms(allOfExpressions([crash, negate(sprocket)]), ids)).toEqual([2])
    expect(await findInAllForms(anyOfExpressions([crash, sprocket]), ids)).toEqual([0, 1, 2])
  })

  test('takes a hundred words and a phrase of ten kilobytes, and refuses more words with 32000', async () => {
    const words = Array.from({ length: 99 }, (_, n) => `+word${n}`)
    expect(await find(`${words.join(' ')} sprocket`)).toEqual([])
    expect(await find(`sprocket ${words.join(' ').replaceAll('+', '')}`)).toEqual([0, 1])
    expect(await find(`"${'sprocket '.repeat(1200)}"`)).toEqual([])
    expect(() =>
      compileSearch(buildCondition('content', 'matches', 'a '.repeat(101)), buildContext()),
    ).toThrow(
      expect.objectContaining({
        code: 32000,
        message: expect.stringContaining('content has 101 words'),
      }),
    )
  })
})

describe('the order by relevance', () => {
  test('is that of the number of words that occur, then of the last change', async () => {
    const expression = buildCondition('content', 'matches', 'sprocket crash always report')
    const relevance = relevanceOf(expression, buildContext())
    const score = relevance === null || relevance === LAST_CHANGE ? sql`0` : relevance.score
    await execute(sql`UPDATE bugs SET changed_at = changed_at + 10 WHERE id = ${ids[2]}`)
    const rows = await execute(sql`SELECT ${bugs.id} FROM bugs WHERE ${bugs.id} IN ${jsonList(ids)}
      ORDER BY ${score} DESC, ${bugs.id} LIMIT 4`)
    expect(rows.map(({ id }) => ids.indexOf(Number(id)))).toEqual([0, 1, 2, 3])
  })

  test.each([
    buildCondition('short_desc', 'substring', 'sprocket'),
    buildCondition('content', 'notmatches', 'sprocket'),
    negate(buildCondition('content', 'matches', 'sprocket')),
  ])('does not exist where no words are looked for', (expression) => {
    expect(relevanceOf(expression, buildContext())).toBeNull()
  })
})

describe('words are looked up without a walk through a table', () => {
  test.each(['sprocket', 'sprocket crash', '+sprocket +crash -"in the"', 'sprock*'])(
    '%s',
    async (value) => {
      const condition = buildCondition('content', 'matches', value)
      const { lead, candidates } = formsOf(compileSearch(condition, buildContext()))
      const selects = [sql`${candidates}`, sql`SELECT ${bugs.id} FROM bugs WHERE ${lead}`]
      for (const select of selects) {
        const steps = await explainQueryPlan(select)
        expect(steps.filter((step) => step.startsWith('SCAN f VIRTUAL TABLE INDEX'))).not.toEqual(
          [],
        )
        expect(steps.filter((step) => /^SCAN (bugs|comments)/.test(step))).toEqual([])
      }
    },
  )
})
