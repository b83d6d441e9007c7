import { env } from 'cloudflare:workers'

/** Tables that a refused request may write: a failed login is counted, and search indexes mirror other tables. */
const IGNORED = /^(sqlite_|_cf_|d1_|login_failures$)|_fts/

/** The SQL of a row with the number of rows of every table, and the sum of its revisions if it has any. */
async function buildFootprintSql(): Promise<string> {
  const { results } = await env.DB.prepare(
    "SELECT name, sql LIKE '%`revision`%' AS revises FROM sqlite_master WHERE type = 'table' ORDER BY name",
  ).all<{ name: string; revises: number }>()
  const columns = results
    .filter(({ name }) => !IGNORED.test(name))
    .map(({ name, revises }) =>
      revises === 1
        ? `(SELECT count(*) || ', ' || total(revision) FROM ${name}) AS ${name}`
        : `(SELECT count(*) FROM ${name}) AS ${name}`,
    )
  return `SELECT ${columns.join(', ')}, (SELECT sum(changed_at) FROM bugs) AS bugs_changed,
    (SELECT sum(last_activity_at) FROM users) AS users_active`
}

let footprintSql: Promise<string> | undefined

/** A value that changes whenever a request writes anything; compare it before and after. */
export async function loadFootprint(): Promise<unknown> {
  footprintSql ??= buildFootprintSql()
  const [totals, newest] = await env.DB.batch([
    env.DB.prepare(await footprintSql),
    env.DB.prepare('SELECT * FROM bugs ORDER BY id DESC LIMIT 10'),
  ])
  return [totals?.results, newest?.results]
}
