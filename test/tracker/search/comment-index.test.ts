import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { indexComments } from '../../../src/tracker/search/comment-index.ts'
import { commentTextCandidates } from '../../../src/tracker/search/compile/text-index.ts'
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
    const [row] = await execute(sql`SELECT count(*) AS missing FROM comments
      WHERE id > (SELECT coalesce(max(id), 0) FROM comments_trigram_fts_docsize)`)
    if (row?.missing === 0) {
      return
    }
  }
}

describe('the index of three characters', () => {
  test('follows comments that are changed or deleted', async () => {
    const [id = 0] = [await insertDiscussion('a', ['first version', 'second comment'])]
    await indexComments(systemCtx(env, createExecutionContext()))
    const find = (text: string) => findBugs([id], text)
    expect([await find('first'), await find('second')]).toEqual([[0], [0]])
    await execute(
      sql`UPDATE comments SET body = 'third version' WHERE bug_id = ${id} AND number = 0`,
      sql`DELETE FROM comments WHERE bug_id = ${id} AND number = 1`,
    )
    expect([await find('first'), await find('third'), await find('second')]).toEqual([[], [0], []])
    // with 1, the index is compared with the table too, and lacks nothing
    await indexAll()
    await execute(
      sql`INSERT INTO comments_trigram_fts(comments_trigram_fts, rank) VALUES ('integrity-check', 1)`,
    )
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
    const [row] = await execute(sql`SELECT count(*) AS missing FROM comments
      WHERE id NOT IN (SELECT id FROM comments_trigram_fts_docsize)`)
    expect(row).toEqual({ missing: 0 })
    expect(await findBugs(ids, 'large5')).toEqual([0])
    expect(await findBugs(ids, 'number 399.')).toEqual([1])
  })
})
