import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import {
  indexComments,
  MERGED_INDEXES,
  mergeIndexes,
} from '../../../src/tracker/search/index-upkeep.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertDiscussion } from '../../support/builders/discussions.ts'
import { execute } from '../../support/database/execute.ts'

/** Fewer than the sixteen that SQLite merges itself. */
const COMMENTS = 12

async function countPieces(): Promise<number> {
  const [row] = await execute(
    sql`SELECT count(DISTINCT segid) AS pieces FROM comments_body_fts_idx`,
  )
  return Number(row?.pieces)
}

/** Writes comments in a commit each. */
async function writeComments(word: string): Promise<number> {
  const { id: bug } = await insertBug()
  for (let n = 1; n <= COMMENTS; n += 1) {
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
      SELECT ${bug}, ${n}, reporter_id, 1, ${`${word} ${n}`}, 0 FROM bugs WHERE id = ${bug}`)
  }
  return bug
}

/** What one run of a job does to the database, and when it waits. */
async function traceJob(job: typeof mergeIndexes): Promise<string> {
  const events: string[] = []
  const wait = scheduler.wait.bind(scheduler)
  vi.spyOn(scheduler, 'wait').mockImplementation((ms) => {
    events.push(ms > 0 ? 'pause' : 'no pause')
    return wait(ms)
  })
  const withSession = (from: string) => {
    const real = env.DB.withSession(from)
    return {
      prepare: (text: string) => Object.assign(real.prepare(text), { text }),
      batch: (list: (D1PreparedStatement & { text?: string })[]) => {
        events.push('step')
        return real.batch(list)
      },
      getBookmark: () => real.getBookmark(),
    }
  }
  await job(systemCtx({ ...env, DB: { withSession } } as unknown as Env, createExecutionContext()))
  return events.join(', ')
}

describe('the merging of full-text indexes', () => {
  test('belongs to cron for every index that grows, and to no write', async () => {
    const tables = await execute(sql`SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5(%'`)
    // one is emptied in the commit that fills it, the other is only emptied
    const others = ['comment_words_batch_fts', 'comments_trigram_fts']
    expect(tables.map(({ name }) => name).sort()).toEqual([...MERGED_INDEXES, ...others].sort())
    for (const name of MERGED_INDEXES) {
      const config = sql.raw(`${name}_config`)
      expect(await execute(sql`SELECT v FROM ${config} WHERE k = 'automerge'`)).toEqual([{ v: 0 }])
    }
  })

  test('leaves a search few pieces to look into, and the same matches', async () => {
    await mergeIndexes(systemCtx(env, createExecutionContext()))
    const before = await countPieces()
    const bug = await writeComments('mergeable')
    const written = await countPieces()
    expect(written).toBeGreaterThanOrEqual(before + COMMENTS)
    await mergeIndexes(systemCtx(env, createExecutionContext()))
    const merged = await countPieces()
    expect(merged).toBeLessThan(written - COMMENTS / 2)
    const found = await execute(sql`SELECT count(*) AS n FROM comments WHERE bug_id = ${bug}
      AND id IN (SELECT rowid FROM comments_body_fts WHERE comments_body_fts MATCH 'mergeable')`)
    expect(found).toEqual([{ n: COMMENTS }])
    await mergeIndexes(systemCtx(env, createExecutionContext()))
    expect(await countPieces()).toBe(merged)
  })

  test('takes one step for each index where there is nothing to do', async () => {
    await mergeIndexes(systemCtx(env, createExecutionContext()))
    expect(await traceJob(mergeIndexes)).toBe(MERGED_INDEXES.map(() => 'step, pause').join(', '))
  })

  test('lets others in after each step', async () => {
    await writeComments('paused')
    const steps = (await traceJob(mergeIndexes)).split(/, (?=step)/)
    expect(steps.length).toBeGreaterThan(MERGED_INDEXES.length)
    expect(new Set(steps)).toEqual(new Set(['step, pause']))
  })
})

describe('the indexing of comments', () => {
  test('lets others in after each of its commits', async () => {
    await indexComments(systemCtx(env, createExecutionContext()))
    await insertDiscussion(
      'a',
      Array.from({ length: 600 }, (_, n) => `paused${n}`),
    )
    const commits = (await traceJob(indexComments)).split('pause')
    expect(commits.length).toBeGreaterThan(3)
    // a read and a commit, and in the end the read that finds nothing
    const between = commits.map((text) => text.split('step').length - 1)
    expect(Math.max(...between)).toBe(2)
    expect(between.at(-1)).toBe(1)
  })
})
