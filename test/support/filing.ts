import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { type Answer, expectFault, get, put, type Sender } from './client.ts'

type Row = Record<string, unknown>

/** The bug as somebody reads it. */
export async function readBug(who: Sender, id: number | string): Promise<Row> {
  const answer = await get(who, `/rest/bug/${id}?include_fields=_all`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0]
}

/** Changes a bug and answers what the service says has changed. */
export async function changesOf(who: Sender, id: number, body: Row): Promise<Row> {
  const answer = await put(who, `/rest/bug/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0].changes
}

/** The rows that a table has about a bug, oldest first. */
export async function rowsOf(
  table: 'history' | 'comments' | 'notices' | 'bug_cc' | 'bug_groups' | 'bug_keywords',
  bugId: number,
): Promise<Row[]> {
  const { results } = await env.DB.prepare(
    `SELECT * FROM ${table} WHERE bug_id = ? ORDER BY ${table.startsWith('bug_') ? 2 : 'id'}`,
  )
    .bind(bugId)
    .all()
  return results
}

/** The row of a bug as it is stored. */
export async function storedBug(id: number): Promise<Row> {
  const row = await env.DB.prepare('SELECT * FROM bugs WHERE id = ?').bind(id).first()
  return row ?? {}
}

/** Asserts that a request is refused, and that nothing of it is left behind. */
export async function expectRefusal(
  request: () => Promise<Answer>,
  status: number,
  code: number,
  naming?: string,
): Promise<void> {
  const before = await everythingWritten()
  expectFault(await request(), status, code, naming)
  expect(await everythingWritten(), 'nothing is written').toEqual(before)
}

/** All that the requests of this room can write, near enough to notice any change. */
export async function everythingWritten(): Promise<unknown> {
  const tables = ['comments', 'comment_tags', 'history', 'notices', 'bug_cc', 'bug_groups']
  const links = [
    'bug_keywords',
    'dependencies',
    'regressions',
    'see_also',
    'custom_values',
    'bug_tags',
    'flags',
    'flag_activity',
  ]
  const counts = [...tables, ...links].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
  const [totals, newest] = await env.DB.batch([
    env.DB.prepare(
      `SELECT ${counts.join(', ')}, (SELECT count(*) FROM bugs) AS bugs,
        (SELECT sum(changed_at) FROM bugs) AS changed, (SELECT sum(revision) FROM bugs) AS revisions,
        (SELECT sum(revision) FROM flags) AS flag_revisions,
        (SELECT sum(last_activity_at) FROM users) AS activity`,
    ),
    env.DB.prepare('SELECT * FROM bugs ORDER BY id DESC LIMIT 10'),
  ])
  return [totals?.results, newest?.results]
}
