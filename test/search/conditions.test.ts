import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../src/access/caller.ts'
import type { OrderIndex } from '../../src/search/order-index.ts'
import { compileSearch } from '../../src/search/parameters.ts'

const dialect = new SQLiteSyncDialect()
const KEY = 'INTEGER PRIMARY KEY'

function compiled(query: string, orderIndex: OrderIndex | null) {
  const search = new URLSearchParams(query)
  const names = [...search.keys()]
  const parameters = Object.fromEntries(names.map((name) => [name, search.getAll(name)]))
  return compileSearch(parameters, { caller: ANONYMOUS, now: 0, orderIndex })
}

/** How SQLite finds the bugs of a search: the index that it uses, and whether it must sort them. */
async function planOf(query: string, orderIndex: OrderIndex | null): Promise<string> {
  const { condition } = compiled(query, orderIndex) ?? {}
  const order = sql.raw(orderIndex === null ? '+bugs.id' : `bugs.${orderIndex} DESC`)
  const { sql: text, params } = dialect.sqlToQuery(
    sql`EXPLAIN QUERY PLAN SELECT bugs.id FROM bugs WHERE ${condition} ORDER BY ${order} LIMIT 20`,
  )
  const { results } = await env.DB.prepare(text)
    .bind(...params)
    .all<{ parent: number; detail: string }>()
  return results
    .filter(
      ({ parent, detail }) =>
        parent === 0 && !/^(SCALAR|LIST|CORRELATED|SCAN s EXISTS)/.test(detail),
    )
    .map(({ detail }) => detail.replace(/^(SEARCH|SCAN) bugs ?(USING )?(COVERING )?/, ''))
    .join(' + ')
}

describe('the leading condition of a search', () => {
  test.each<[string, string]>([
    ['product=P&status=A', 'INDEX bugs_product (product_id=? AND status_id=?)'],
    ['product=P&status=A&status=B', 'INDEX bugs_product (product_id=? AND status_id=?)'],
    ['product=P&status=__open__', 'INDEX bugs_product (product_id=? AND status_id=?)'],
    ['product=P&resolution=A&severity=B&priority=C', 'INDEX bugs_product_newest (product_id=?)'],
    [
      'product=P&last_change_time=2020-01-01',
      'INDEX bugs_product_changed (product_id=? AND changed_at>?)',
    ],
    [
      'product=P&creation_time=2020-01-01',
      'INDEX bugs_product_created (product_id=? AND created_at>?)',
    ],
    ['product=P&product=Q', 'INDEX bugs_product_newest (product_id=?)'],
    ['product=P&component=C&resolution=', 'INDEX bugs_component_newest (component_id=?)'],
    ['product=P&component=C&status=A', 'INDEX bugs_component (component_id=? AND status_id=?)'],
    ['component=C', 'INDEX bugs_component_newest (component_id=?)'],
    ['product=P&version=1', 'INDEX bugs_version (version_id=?)'],
    ['product=P&target_milestone=1', 'INDEX bugs_milestone (milestone_id=?)'],
    ['product=P&assigned_to=a@b.test', 'INDEX bugs_assigned_to_newest (assigned_to_id=?)'],
    ['assigned_to=a@b.test,c@d.test', 'INDEX bugs_assigned_to_newest (assigned_to_id=?)'],
    [
      'assigned_to=a@b.test&status=__open__',
      'INDEX bugs_assigned_to (assigned_to_id=? AND status_id=?)',
    ],
    ['assigned_to=a@b.test&resolution=---', 'INDEX bugs_assigned_to_newest (assigned_to_id=?)'],
    ['creator=a@b.test&product=P', 'INDEX bugs_reporter (reporter_id=?)'],
    ['qa_contact=a@b.test&status=A', 'INDEX bugs_qa_contact (qa_contact_id=?)'],
    ['triage_owner=a@b.test&status=A', 'INDEX bugs_component (component_id=? AND status_id=?)'],
    ['id=1,2,3&product=P&status=A', `${KEY} (rowid=?)`],
    ['alias=x&product=P', 'INDEX bugs_alias_fold_unique (alias_fold=?)'],
    ['summary=crash&product=P', `${KEY} (rowid=?)`],
    ['summary=cr&product=P', 'INDEX bugs_product_newest (product_id=?)'],
    ['description=a%20b&product=P', `${KEY} (rowid=?)`],
    ['description=?&product=P', 'INDEX bugs_product_newest (product_id=?)'],
    ['status=__open__', 'INDEX bugs_status (status_id=?)'],
    ['resolution=---', 'INDEX bugs_resolution (resolution_id=?)'],
    ['last_change_time=2020-01-01&status=A', 'INDEX bugs_changed (changed_at>?)'],
    ['creation_time=2020-01-01', 'INDEX bugs_created (created_at>?)'],
  ])('finds all results of %s through %s', async (query, expected) => {
    expect(await planOf(query, null)).toBe(`${expected} + USE TEMP B-TREE FOR ORDER BY`)
  })

  test.each<[string, OrderIndex, string]>([
    ['product=P', 'id', 'INDEX bugs_product_newest (product_id=?)'],
    ['product=P&status=A', 'id', 'INDEX bugs_product (product_id=? AND status_id=?)'],
    ['product=P&status=__open__', 'id', 'INDEX bugs_product_newest (product_id=?)'],
    ['product=P&resolution=---', 'id', 'INDEX bugs_product_newest (product_id=?)'],
    [
      'product=P&last_change_time=2020-01-01',
      'id',
      'INDEX bugs_product_newest (product_id=? AND rowid>?)',
    ],
    ['product=P&component=C', 'id', 'INDEX bugs_component_newest (component_id=?)'],
    ['product=P&component=C&resolution=---', 'id', 'INDEX bugs_component_newest (component_id=?)'],
    ['product=P&version=1', 'id', 'INDEX bugs_version (version_id=?)'],
    ['assigned_to=a@b.test', 'id', 'INDEX bugs_assigned_to_newest (assigned_to_id=?)'],
    ['status=A', 'id', 'INDEX bugs_status (status_id=?)'],
    ['resolution=---', 'id', 'INDEX bugs_resolution (resolution_id=?)'],
    ['status=__open__', 'id', ''],
    ['severity=A&severity=B', 'id', ''],
    ['classification=A', 'id', ''],
    ['whiteboard=A', 'id', ''],
    ['creation_time=2020-01-01', 'id', `${KEY} (rowid>?)`],
    ['last_change_time=2020-01-01&status=__open__', 'id', `${KEY} (rowid>?)`],
    ['id=1,2,3', 'id', `${KEY} (rowid=?)`],
    ['product=P', 'changed_at', 'INDEX bugs_product_changed (product_id=?)'],
    ['product=P', 'created_at', 'INDEX bugs_product_created (product_id=?)'],
    ['product=P&status=A', 'changed_at', 'INDEX bugs_product_changed (product_id=?)'],
    [
      'product=P&last_change_time=2020-01-01',
      'changed_at',
      'INDEX bugs_product_changed (product_id=? AND changed_at>?)',
    ],
    ['status=A', 'changed_at', 'INDEX bugs_changed'],
    ['resolution=---', 'created_at', 'INDEX bugs_created'],
    ['last_change_time=2020-01-01', 'changed_at', 'INDEX bugs_changed (changed_at>?)'],
    ['creation_time=2020-01-01', 'changed_at', 'INDEX bugs_changed'],
  ])(
    'finds a short page of %s along %s without sorting, through %s',
    async (query, orderIndex, expected) => {
      expect(await planOf(query, orderIndex)).toBe(expected)
    },
  )

  test.each([
    ['summary=crash', 'f'],
    ['summary=crash&product=P&status=A', 'f'],
    ['short_desc=crash%20now', 'f'],
    ['summary=crash&summary=hang', ''],
    ['summary=cr', ''],
    ['summary=crash&id=1', ''],
    ['product=P', ''],
  ])('finds pages of %s by ID in a stream from the table %j', async (query, from) => {
    const { stream } = compiled(query, 'id') ?? {}
    expect(stream == null ? '' : 'f').toBe(from)
    if (stream != null) {
      const { sql: text, params } = dialect.sqlToQuery(sql`EXPLAIN QUERY PLAN SELECT bugs.id
        FROM ${stream.from} WHERE ${stream.condition} ORDER BY ${stream.id} DESC LIMIT 20`)
      const { results } = await env.DB.prepare(text)
        .bind(...params)
        .all<{ detail: string }>()
      const plan = results.map(({ detail }) => detail).join(' + ')
      expect(plan).toMatch(
        /^SCAN f VIRTUAL TABLE INDEX \d+:M\d \+ SEARCH bugs USING INTEGER PRIMARY KEY/,
      )
      expect(plan).not.toContain('FOR ORDER BY')
    }
  })

  test.each<[string, OrderIndex]>([
    ['creator=a@b.test', 'changed_at'],
    ['product=P&product=Q', 'id'],
    ['product=P&component=C', 'changed_at'],
    ['summary=crash', 'changed_at'],
  ])('finds a page of %s along %s by sorting the few results', async (query, orderIndex) => {
    expect(await planOf(query, orderIndex)).toMatch(/\(\w+=\?\) \+ USE TEMP B-TREE FOR ORDER BY$/)
  })
})
