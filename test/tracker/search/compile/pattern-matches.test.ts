import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../../src/platform/background.ts'
import { sql } from '../../../../src/platform/db/sql.ts'
import type { Reader } from '../../../../src/tracker/search/bounds.ts'
import { findPatternMatches as findMatches } from '../../../../src/tracker/search/compile/pattern-matches.ts'
import type { CompileContext } from '../../../../src/tracker/search/context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  negate,
  UNKNOWN,
} from '../../../../src/tracker/search/expression.ts'
import { rewrite } from '../../../../src/tracker/search/rewrite.ts'
import { hideBugs, insertBug, insertBugs, restrictBug } from '../../../support/builders/bugs.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { execute } from '../../../support/database/execute.ts'
import {
  buildCondition,
  buildContext,
  findInAllForms,
} from '../../../support/search/find-in-all-forms.ts'

const SUMMARIES = [
  'Crash in the sprocket 12',
  'No crash at all',
  'Ärger mit GRÖSSE',
  'leak.socket(1) | "quoted" \\ back',
  'line',
]

const reporter = await insertPerson()
const login = `${uniqueName('rex.patternson')}@mail.test`
await execute(
  sql`UPDATE users SET login = ${login}, login_fold = ${login} WHERE id = ${reporter.id}`,
)
const ids: number[] = []
for (const [n, summary] of SUMMARIES.entries()) {
  const bug = await insertBug({ summary, ...(n < 2 && { reporter }) })
  ids.push(bug.id)
  await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
    VALUES (${bug.id}, 0, ${reporter.id}, 1, 'described')`)
}

function asReader(): Reader {
  return systemCtx(env, createExecutionContext())
}

const regexp = (field: string, source: string) => buildCondition(field, 'regexp', source)
const notRegexp = (field: string, source: string) => buildCondition(field, 'notregexp', source)
const named = () => buildCondition('bug_id', 'anyexact', ...ids.map(String))

const findPatternMatches = (holder: Reader, expression: Expression, context: CompileContext) =>
  findMatches(holder, rewrite(expression, context), context)

async function find(given: Expression, caller: Caller = ANONYMOUS, among = ids) {
  // the matches of a condition are known by the condition itself
  const expression = rewrite(given, buildContext(caller))
  const matches = await findPatternMatches(asReader(), expression, buildContext(caller))
  return findInAllForms(expression, among, buildContext(caller, matches))
}

describe('regexp on texts of bugs', () => {
  test.each<[string, number[]]>([
    ['crash', [0, 1]],
    ['^crash', [0]],
    ['all$', [1]],
    ['sprocket \\d+$', [0]],
    ['CRASH IN', [0]],
    ['ärger.*größe', []],
    ['ärger.*grösse', [2]],
    ['^(leak|line)', [3, 4]],
    ['socket\\(1\\)', [3]],
    ['\\\\', [3]],
    ['"quoted"', [3]],
    ["'; DROP TABLE bugs; --", []],
    ['^.{4}$', [4]],
    ['🔥', []],
    ['[[:digit:]]', [0, 3]],
    ['', [0, 1, 2, 3, 4]],
  ])('%s', async (source, expected) => {
    const others = ids.map((_, n) => n).filter((n) => !expected.includes(n))
    for (const beside of [named(), buildCondition('short_desc', 'isnotempty')]) {
      expect(await find(allOfExpressions([beside, regexp('short_desc', source)]))).toEqual(expected)
      expect(await find(allOfExpressions([beside, notRegexp('short_desc', source)]))).toEqual(
        others,
      )
    }
  })

  test.each([
    'a(',
    '(?=a)',
    '(a)\\1',
    'a{1001}',
    'a'.repeat(257),
    '[[:<:]]a',
    '((\\pL{100}){100})',
  ])('is unknown for %s, which RE2 does not take', async (source) => {
    expect(await find(regexp('short_desc', source))).toEqual([])
    expect(await find(notRegexp('short_desc', source))).toEqual([])
    expect(await find(negate(regexp('short_desc', source)))).toEqual([])
  })
})

describe('regexp on people, names, numbers and times', () => {
  const beside = (expression: Expression) => find(allOfExpressions([named(), expression]))

  test('matches logins', async () => {
    expect(await beside(regexp('reporter', '^rex\\.patternson'))).toEqual([0, 1])
    expect(await beside(notRegexp('reporter', '^rex\\.patternson'))).toEqual([2, 3, 4])
    expect(await beside(notRegexp('qa_contact', '.'))).toEqual([0, 1, 2, 3, 4])
  })

  test('matches no domain that the caller does not see', async () => {
    const hiding = { ...buildContext(), hidesDomains: true }
    for (const [source, expected] of [
      ['mail\\.test$', []],
      ['^rex.*$', [0, 1]],
    ] as const) {
      const expression = allOfExpressions([named(), regexp('reporter', source)])
      const patternMatches = await findPatternMatches(asReader(), expression, hiding)
      expect(await findInAllForms(expression, ids, { ...hiding, patternMatches })).toEqual(expected)
    }
  })

  test('matches names of choices and of keywords', async () => {
    expect(await beside(regexp('bug_status', '^conf.*d$'))).toEqual([0, 1, 2, 3, 4])
    expect(await beside(notRegexp('bug_status', '^conf.*d$'))).toEqual([])
    expect(await beside(regexp('keywords', '.'))).toEqual([])
    expect(await beside(notRegexp('keywords', '.'))).toEqual([0, 1, 2, 3, 4])
  })

  test('matches the digits of numbers and times', async () => {
    expect(await beside(regexp('bug_id', `^${ids[2]}$`))).toEqual([2])
    expect(
      await beside(regexp('creation_ts', '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$')),
    ).toEqual([0, 1, 2, 3, 4])
  })
})

describe('several regular expressions in one search', () => {
  test('are combined like other conditions', async () => {
    const [crash, all, leak] = [/crash/, /all$/, /leak/].map(({ source }) =>
      regexp('short_desc', source),
    )
    if (crash === undefined || all === undefined || leak === undefined) {
      throw new Error('all are defined')
    }
    expect(await find(allOfExpressions([named(), crash, negate(all)]))).toEqual([0])
    expect(await find(allOfExpressions([named(), anyOfExpressions([all, leak])]))).toEqual([1, 3])
    expect(
      await find(negate(allOfExpressions([named(), anyOfExpressions([crash, leak])]))),
    ).toEqual([2, 4])
    expect(await find(negate(allOfExpressions([UNKNOWN, crash])))).toEqual([2, 3, 4])
  })

  test('take two round trips for four of them, and none without any', async () => {
    const holder = asReader()
    const patterns = ['crash', 'all$', 'leak', 'line'].map((source) => regexp('short_desc', source))
    await findPatternMatches(holder, allOfExpressions([named(), ...patterns]), buildContext())
    expect(holder.session.cost.trips).toBe(2)
    const none = await findPatternMatches(
      holder,
      allOfExpressions([named(), UNKNOWN]),
      buildContext(),
    )
    expect([none.size, holder.session.cost.trips]).toEqual([0, 2])
  })
})

describe('what a regular expression is compared with', () => {
  test('leaves out hidden bugs, and the bugs that other criteria leave out', async () => {
    const member = await insertPerson()
    const hidden = await insertBug({ summary: 'crash in secret' })
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      VALUES (${hidden.id}, 0, ${reporter.id}, 1, 'described')`)
    await restrictBug(hidden.id, await insertGroup([member]))
    const among = [...ids, hidden.id]
    const ofAll = allOfExpressions([
      buildCondition('bug_id', 'anyexact', ...among.map(String)),
      regexp('short_desc', 'crash'),
    ])
    expect(await find(ofAll, ANONYMOUS, among)).toEqual([0, 1])
    expect(await find(ofAll, buildCaller(member), among)).toEqual([0, 1, 5])
    const one = allOfExpressions([
      buildCondition('bug_id', 'equals', String(ids[1])),
      // its matches have no text in common that an index would find in the bugs of other tests
      regexp('short_desc', '^(?:no|line)'),
    ])
    const holder = asReader()
    await findPatternMatches(holder, one, buildContext())
    expect(holder.session.cost.rowsRead).toBeLessThan(20)
  })

  test('is read in blocks of 2,000 up to a budget, beyond which it is refused with 1001', async () => {
    const { place, ids: many } = await insertBugs(await insertPerson(), 4500)
    const ofPlace = buildCondition('product', 'equals', place.name)
    const expression = allOfExpressions([ofPlace, regexp('short_desc', ' 4[0-9]{3}$')])
    const holder = asReader()
    const matches = await findPatternMatches(holder, expression, buildContext())
    expect(holder.session.cost.trips).toBe(4)
    expect(await findInAllForms(expression, many, buildContext(ANONYMOUS, matches))).toHaveLength(
      500,
    )
    const [large = 0] = many
    await execute(sql`UPDATE bugs SET whiteboard = printf('%.*c', 60000, 'a') WHERE id IN
      (SELECT id FROM bugs WHERE id >= ${large} ORDER BY id LIMIT 300)`)
    const costly = allOfExpressions([ofPlace, regexp('status_whiteboard', '(?:\\pL{0,6}){0,32}x$')])
    await expect(findPatternMatches(asReader(), costly, buildContext())).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining('status_whiteboard'),
    })
    await hideBugs(many)
  })
})
