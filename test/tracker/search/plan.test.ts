import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsWhere } from '../../../src/platform/access/bug-set.ts'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import {
  bugsOnPage,
  type FewBugs,
  type Plan,
  placesOf,
} from '../../../src/tracker/search/candidate-lists.ts'
import { compileExpression } from '../../../src/tracker/search/compile/compile.ts'
import { parseOrder } from '../../../src/tracker/search/order.ts'
import { parseSearch } from '../../../src/tracker/search/parse.ts'
import { planAll, planPage } from '../../../src/tracker/search/plan.ts'
import { execute, type Row } from '../../support/database/execute.ts'
import { buildCompileContext } from '../../support/search-forms.ts'
import { readSearchPlans } from '../../support/tables/search-plans.ts'

const PLANS = readSearchPlans()
const ORDERS: Readonly<Record<string, string>> = {
  id: 'bug_id DESC',
  created_at: 'opendate DESC',
  changed_at: 'changeddate DESC',
  priority: 'priority',
  importance: 'priority DESC,severity,bug_id DESC',
  component: 'component',
  milestone: 'target_milestone DESC',
  status: 'bug_status',
}

const SHORT_PAGE = { end: 20, isShort: true }

function compiled(query: string) {
  const search = new URLSearchParams(query)
  const parameters = Object.fromEntries(
    [...search.keys()].map((name) => [name, search.getAll(name)]),
  )
  const context = buildCompileContext(ANONYMOUS)
  return parseSearch(parameters, context).members.map((each) => compileExpression(each, context))
}

function pageOf(query: string, order: string) {
  const by = parseOrder([ORDERS[order] ?? ''], { ...buildCompileContext(ANONYMOUS), ids: [] })
  return planPage(compiled(query), by, SHORT_PAGE)
}

/** How SQLite finds rows: the indexes in the order of its loops, and whether it must sort. */
function pathOf(rows: readonly Row[]): string {
  return rows
    .map(({ detail }) =>
      String(detail)
        .replace(/^SCAN bugs USING COVERING INDEX.*/, 'all bugs')
        .replace('SCAN bugs', 'all bugs')
        .replace(/^all bugs (?=USING)|^SEARCH bugs /, '')
        .replace(/^USING (COVERING )?/, '')
        .replace(/(?<=VIRTUAL TABLE INDEX).*/, '')
        .replace('USE TEMP B-TREE FOR ORDER BY', 'sort'),
    )
    .filter(
      (detail) =>
        !/^(SCALAR|REUSE|LIST|CORRELATED|CREATE BLOOM|SCAN \(subquery)|LAST TERM/.test(detail),
    )
    .join(' + ')
}

/** The loops of a select, those within its parts included. */
function pathBelow(root: unknown, rows: readonly Row[]): string {
  const isPart = ({ detail }: Row) =>
    /^(COMPOUND|LEFT-MOST|UNION|MULTI|INDEX|CO-ROUTINE)/.test(String(detail))
  const parents = new Set([root])
  for (const row of rows) {
    if (isPart(row) && parents.has(row.parent)) {
      parents.add(row.id)
    }
  }
  return pathOf(rows.filter((row) => parents.has(row.parent) && !isPart(row)))
}

async function pathOfSelect(select: SQL): Promise<string> {
  return pathBelow(0, await execute(sql`EXPLAIN QUERY PLAN ${select}`))
}

/** The path of a walk through the bugs, or of the select that sorts all of them. */
async function pathOfPage(walk: Plan['walk']): Promise<string> {
  if ('lead' in walk && walk.fromFirst !== undefined) {
    const from = walk.fromFirst(
      ({ from: tables, condition, order }) =>
        sql`SELECT bugs.id FROM ${tables} WHERE ${condition} ORDER BY ${order[0]} LIMIT 20`,
      20,
    )
    const places = placesOf({ ...walk, from })
    const path = pathOf(await execute(sql`EXPLAIN QUERY PLAN ${places} LIMIT 20`))
    const loops = path.split(' + ').filter((loop) => /^(?:SEARCH o\d|INDEX bugs_)/.test(loop))
    return `merged: ${loops.join(' + ')}`
  }
  if ('lead' in walk) {
    const rows = await execute(sql`EXPLAIN QUERY PLAN ${placesOf(walk)} LIMIT 20`)
    // it may read nothing else of the bugs
    return pathBelow(
      0,
      rows.map((row) => ({ ...row, detail: String(row.detail).replace('COVERING ', '') })),
    )
  }
  const page = bugsOnPage(ANONYMOUS, { walk }, { limit: 20, offset: 0 })
  const rows = await execute(
    sql`EXPLAIN QUERY PLAN SELECT bugs.id FROM bugs WHERE ${page.condition}`,
  )
  const list = rows.find(({ detail }) => String(detail).startsWith('LIST SUBQUERY'))
  // the page itself, whose limit keeps it apart from the list
  const routine = rows.find(
    ({ detail, parent }) => parent === list?.id && String(detail).startsWith('CO-ROUTINE'),
  )
  const subquery = routine ?? list
  return pathBelow(subquery?.id, rows)
}

async function pathOfCandidates({ select }: FewBugs['candidates'][number]): Promise<string> {
  return `few: ${await pathOfSelect(sql`SELECT * FROM (${select}) LIMIT 2001`)}`
}

/** The ways to find a page, each by its path; those that serve when they find few bugs are marked. */
function pathsOf(query: string, order: string): Promise<string[]> {
  const { few, walk } = pageOf(query, order)
  return Promise.all([...(few?.candidates ?? []).map(pathOfCandidates), pathOfPage(walk)])
}

describe('the statement of all matches', () => {
  test.each(PLANS.filter(([, order]) => order === 'all'))(
    'of %s, in the order %s, finds them through %s',
    async (query, _, expected) => {
      const { condition } = bugsWhere(ANONYMOUS, [planAll(compiled(query)).condition])
      expect(await pathOfSelect(sql`SELECT bugs.id FROM bugs WHERE ${condition}`)).toBe(expected)
    },
  )
})

describe('the statement of a page', () => {
  test.each(PLANS.filter(([, order]) => order in ORDERS))(
    'of %s by %s finds it through %s',
    async (query, order, expected) => {
      expect((await pathsOf(query, order)).join(' | ')).toBe(expected)
    },
  )

  test.each(['product=P&status=A', 'cc=a@b.test', 'product=P&component=C&status=A'])(
    'of %s holds lists of few bugs and a walk',
    async (query) => {
      const plan = pageOf(query, 'changed_at')
      const page = bugsOnPage(ANONYMOUS, plan, { limit: 20, offset: 0 })
      const rows = await execute(
        sql`EXPLAIN QUERY PLAN SELECT bugs.id FROM bugs WHERE ${page.condition}`,
      )
      const details = rows.map(({ detail }) => String(detail))
      const lists = details.filter((detail) => detail.startsWith('MATERIALIZE candidates'))
      expect(lists).toEqual(plan.few?.candidates.map((_, n) => `MATERIALIZE candidates_${n}`))
      // the few are sorted, the walk is in order
      expect(details.filter((detail) => detail === 'USE TEMP B-TREE FOR ORDER BY')).toHaveLength(1)
      expect(details.some((detail) => /INDEX bugs_(product_)?changed/.test(detail))).toBe(true)
    },
  )

  test('by ID takes the few in their order, without a sort', async () => {
    for (const order of ['id', 'none']) {
      const plan = pageOf('quicksearch=ALL%20lamp%20window', order)
      const page = bugsOnPage(ANONYMOUS, plan, { limit: 20, offset: 0 })
      const rows = await execute(
        sql`EXPLAIN QUERY PLAN SELECT bugs.id FROM bugs WHERE ${page.condition}`,
      )
      expect(plan.few?.candidates).toHaveLength(2)
      expect(rows.map(({ detail }) => String(detail)).filter((each) => /ORDER/.test(each))).toEqual(
        [],
      )
    }
  })

  test.each(['bug_type', 'short_desc DESC', 'bug_list'])(
    'in an order without an index, %s, sorts all matches',
    async (by) => {
      const order = parseOrder([by], { ...buildCompileContext(ANONYMOUS), ids: ['3', '1'] })
      const { few, walk } = planPage(compiled('product=P'), order, SHORT_PAGE)
      expect(few).toBeUndefined()
      expect(await pathOfPage(walk)).toBe('INDEX bugs_product_newest (product_id=?) + sort')
    },
  )
})
