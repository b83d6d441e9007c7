import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../../src/platform/background.ts'
import { jsonList, sql } from '../../../../src/platform/db/sql.ts'
import { commentTextCandidates } from '../../../../src/tracker/search/compile/comment-words.ts'
import { indexComments } from '../../../../src/tracker/search/index-upkeep.ts'
import type { RowOperator } from '../../../../src/tracker/search/operators.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { insertDiscussion } from '../../../support/builders/discussions.ts'
import { execute } from '../../../support/database/execute.ts'
import { explainQueryPlan } from '../../../support/database/explain-query-plan.ts'

const INSIDER = buildCaller({ id: 9_000_001, login: 'insider@a.test' }, ['insider'])

const DISCUSSIONS: readonly Parameters<typeof insertDiscussion>[1][] = [
  ['The sprockets are broken', 'leave-open; see `foo(bar)`'],
  ['nothing', ['sprockets behind the scenes']],
  ['ÄRGER mit der Größe', '日本語のテスト', 'x'.repeat(40_000)],
  ['ocket spr', 'roc'],
  ['it\'s "quoted" 100%', '🔥🔥🔥 fire'],
  [wordsThatEndWith('zug', 1000), wordsThatEndWith('zag', 1001)],
]

function wordsThatEndWith(end: string, count: number): string {
  return `${Array.from({ length: count }, (_, n) => `n${n}${end}`).join(' ')})`
}

async function findBugs(
  ids: readonly number[],
  operator: RowOperator,
  values: readonly string[],
  caller: Caller = ANONYMOUS,
): Promise<number[] | undefined> {
  const candidates = commentTextCandidates(operator, values, caller)
  if (candidates === undefined) {
    return undefined
  }
  const rows =
    await execute(sql`SELECT id FROM bugs WHERE id IN (${candidates.select}) AND id IN ${jsonList(ids)}
    ORDER BY id`)
  return rows.map(({ id }) => ids.indexOf(Number(id)))
}

const indexed = await Promise.all(DISCUSSIONS.map((comments) => insertDiscussion('a', comments)))
await indexComments(systemCtx(env, createExecutionContext()))
const fresh = await Promise.all(DISCUSSIONS.map((comments) => insertDiscussion('a', comments)))

describe('the candidates of a text in comments, with and without the index', () => {
  test.each<[RowOperator, string[], number[]]>([
    ['substring', ['sprock'], [0]],
    ['substring', ['PROCKET'], [0]],
    ['casesubstring', ['sprockets'], [0]],
    ['substring', ['ave-op'], [0]],
    ['substring', ['foo(bar)'], [0]],
    ['substring', ['foo(b'], [0]],
    ['substring', ['kets are bro'], [0]],
    ['substring', ['kets are car'], []],
    ['substring', ['rockets are b'], [0]],
    ['substring', ['open; see'], [0]],
    ['substring', ['open; see `foo('], [0]],
    ['substring', ['its "quoted'], []],
    ['substring', ['ted" 100%'], [4]],
    ['substring', ['the ockets'], []],
    ['substring', ['x, the ockets'], []],
    ['substring', ['ärger'], [2]],
    ['substring', ['ärg'], [2]],
    ['substring', ['本語の'], [2]],
    ['substring', ['x'.repeat(10_000)], [2]],
    ['substring', ['"quoted"'], [4]],
    ['substring', ['100%'], [4]],
    ['substring', ['🔥 fire'], [4]],
    ['substring', ['") OR (body'], []],
    ['anywordssubstr', ['sprock fire'], [0, 4]],
    ['allwordssubstr', ['sprock bro the'], [0]],
    ['allwordssubstr', ['sprock fire'], []],
    ['allwordssubstr', ['sprock a'], [0]],
    ['anywords', ['leave-open,nothing'], [0, 1]],
    ['equals', ['nothing'], [1]],
    ['anyexact', ['nothing', 'ocket spr'], [1, 3]],
  ])('%s %j', async (operator, values, expected) => {
    expect(await findBugs(indexed, operator, values)).toEqual(expected)
    expect(await findBugs(fresh, operator, values)).toEqual(expected)
  })

  test.each<[RowOperator, string[]]>([
    ['substring', ['ab']],
    ['substring', ['']],
    ['substring', ['abc\0']],
    ['substring', ['🔥🔥🔥']],
    ['substring', ['o(b']],
    ['substring', ["it's"]],
    ['substring', ['---']],
    ['anywordssubstr', ['sprock ab']],
    ['allwordssubstr', ['ab cd']],
    ['anyexact', Array.from({ length: 51 }, (_, n) => `text ${n}`)],
    ['regexp', ['sprock']],
    ['isnotempty', []],
  ])('do not exist for %s %j', (operator, values) => {
    expect(commentTextCandidates(operator, values, ANONYMOUS)).toBeUndefined()
  })

  test('come from private comments for insiders alone', async () => {
    for (const ids of [indexed, fresh]) {
      expect(await findBugs(ids, 'substring', ['behind the'])).toEqual([])
      expect(await findBugs(ids, 'substring', ['behind the'], INSIDER)).toEqual([1])
    }
  })

  test('are not read where more words than may be looked up have the part that leads', async () => {
    const many = commentTextCandidates('substring', ['zag)'], ANONYMOUS)
    const few = commentTextCandidates('substring', ['zug)'], ANONYMOUS)
    expect(await execute(sql`SELECT ${few?.isTooLong} AS n`)).toEqual([{ n: 0 }])
    expect(await findBugs(indexed, 'substring', ['zug)'])).toEqual([5])
    expect(await execute(sql`SELECT ${many?.isTooLong} AS n`)).toEqual([{ n: 1 }])
    await expect(execute(sql`${many?.select}`)).rejects.toThrow('read limit')
  })

  test('come from words, from the older index, and from the comments behind both', async () => {
    const candidates = commentTextCandidates('substring', ['sprock'], ANONYMOUS)
    const steps = await explainQueryPlan(sql`${candidates?.select}`)
    const reads = steps.filter((step) => /^(SCAN|SEARCH) (comments|w) /.test(step))
    expect(reads.map((step) => step.replace('INTEGER PRIMARY KEY ', ''))).toEqual([
      // words that lead to comments
      'SEARCH w USING (rowid=?)',
      'SEARCH comments USING (rowid=?)',
      // words that are not known whole
      'SCAN w USING INDEX comment_words_cut',
      'SEARCH comments USING (rowid=?)',
      'SEARCH comments USING (rowid=?)',
      'SEARCH comments USING (rowid>?)',
    ])
  })
})
