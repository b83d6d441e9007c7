import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { commentTextCandidates } from '../../../src/tracker/search/compile/comment-words.ts'
import { indexComments } from '../../../src/tracker/search/index-upkeep.ts'
import { insertDiscussion } from '../../support/builders/discussions.ts'
import { execute } from '../../support/database/execute.ts'

async function findBugs(ids: readonly number[], text: string): Promise<number[]> {
  const candidates = commentTextCandidates('substring', [text], ANONYMOUS)
  const rows =
    await execute(sql`SELECT id FROM bugs WHERE id IN (${candidates?.select}) AND id IN ${jsonList(ids)}
    ORDER BY id`)
  return rows.map(({ id }) => ids.indexOf(Number(id)))
}

/** Runs until nothing is left: other tests write comments too, and one run takes a part of them. */
async function indexAll(): Promise<void> {
  for (let runs = 0; runs < 50; runs += 1) {
    await indexComments(systemCtx(env, createExecutionContext()))
    const [row] =
      await execute(sql`SELECT (SELECT max(id) FROM comments) > newest_comment_id OR after_comment_id > 0
      AS is_left FROM comment_word_range`)
    if (row?.is_left === 0) {
      return
    }
  }
}

async function moveBack(ids: readonly number[]): Promise<void> {
  const [row] = await execute(
    sql`SELECT max(id) AS newest FROM comments WHERE bug_id IN ${jsonList(ids)}`,
  )
  await execute(
    sql`DELETE FROM comment_words`,
    sql`INSERT INTO comment_words_fts(comment_words_fts) VALUES ('delete-all')`,
    sql`INSERT INTO comments_trigram_fts(rowid, body) SELECT id, body FROM comments WHERE id <= ${row?.newest ?? 0}`,
    sql`UPDATE comment_word_range SET newest_comment_id = ${row?.newest ?? 0}, after_comment_id = ${row?.newest ?? 0}`,
  )
}

describe('the index of words for parts of words', () => {
  test('follows comments that are changed or deleted', async () => {
    const [id = 0] = [await insertDiscussion('a', ['first version', 'second comment'])]
    await indexComments(systemCtx(env, createExecutionContext()))
    const find = (text: string) => findBugs([id], text)
    expect([await find('irst'), await find('econd')]).toEqual([[0], [0]])
    await execute(
      sql`UPDATE comments SET body = 'tertiary version' WHERE bug_id = ${id} AND number = 0`,
      sql`DELETE FROM comments WHERE bug_id = ${id} AND number = 1`,
    )
    expect([await find('irst'), await find('ertiar'), await find('econd')]).toEqual([[], [0], []])
  })

  test('takes many and large comments in several commits', async () => {
    const large = Array.from({ length: 6 }, (_, n) => `large${n} ${'lorem ipsum '.repeat(5000)}`)
    const ids = [
      await insertDiscussion('a', large),
      await insertDiscussion(
        'a',
        Array.from({ length: 400 }, (_, n) => `small number ${n}.`),
      ),
    ]
    await indexAll()
    expect(await findBugs(ids, 'arge5')).toEqual([0])
    expect(await findBugs(ids, 'umber 399.')).toEqual([1])
  })

  test('has words of which it knows a part alone', async () => {
    const text = `${'ab'.repeat(16_000)}${'cd'.repeat(8000)}needle${'ef'.repeat(500)}`
    const ids = [await insertDiscussion('a', [text]), await insertDiscussion('a', ['need'])]
    await indexAll()
    expect(await findBugs(ids, 'cdneedleef')).toEqual([0])
    expect(await findBugs(ids, 'babab')).toEqual([0])
  })

  test('takes over from the older index step by step, and empties it', async () => {
    const texts = Array.from({ length: 600 }, (_, n) => `older text${n}.`)
    const ids = [await insertDiscussion('a', texts), await insertDiscussion('a', ['one oldest'])]
    await indexAll()
    await moveBack(ids)
    const fresh = await insertDiscussion('a', ['fresh oldest'])
    const isEmpty = sql`SELECT count(*) AS size FROM comments_trigram_fts_docsize`
    const find = () =>
      Promise.all(['ext0.', 'ext599', 'oldest'].map((text) => findBugs([...ids, fresh], text)))
    const everything = [[0], [0], [1, 2]]
    expect(await find()).toEqual(everything)
    const sizes: unknown[] = []
    for (let runs = 0; runs < 50 && sizes.at(-1) !== 0; runs += 1) {
      await indexComments(systemCtx(env, createExecutionContext()))
      expect(await find()).toEqual(everything)
      sizes.push((await execute(isEmpty))[0]?.size)
    }
    expect(sizes.at(-1)).toBe(0)
  })
})
