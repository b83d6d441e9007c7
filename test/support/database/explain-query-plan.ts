import { env } from 'cloudflare:workers'
import type { SQL } from 'drizzle-orm'
import { compile } from '../../../src/platform/db/compile.ts'
import { sql } from '../../../src/platform/db/sql.ts'

/** The steps in which SQLite would run a select, such as `SEARCH bugs USING INTEGER PRIMARY KEY (rowid=?)`. */
export async function explainQueryPlan(select: SQL): Promise<string[]> {
  const { sql: text, params } = compile(sql`EXPLAIN QUERY PLAN ${select}`)
  const { results } = await env.DB.prepare(text)
    .bind(...params)
    .all<{ detail: string }>()
  return results.map(({ detail }) => detail)
}
