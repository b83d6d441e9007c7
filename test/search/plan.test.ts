import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsOnPage, bugsWhere, type PagePlan } from '../../src/access/bug-set.ts'
import { ANONYMOUS } from '../../src/access/caller.ts'
import { compileExpression } from '../../src/search/compile/compile.ts'
import { parseOrder } from '../../src/search/order.ts'
import type { OrderIndex } from '../../src/search/order-index.ts'
import { parseSearch } from '../../src/search/parse.ts'
import { planAll, planPage } from '../../src/search/plan.ts'
import { execute, type Row } from '../support/database/execute.ts'
import { buildCompileContext } from '../support/search-forms.ts'

const KEY = 'INTEGER PRIMARY KEY'
const ORDERS = { id: 'bug_id DESC', created_at: 'opendate DESC', changed_at: 'changeddate DESC' }

function compiled(query: string) {
  const search = new URLSearchParams(query)
  const parameters = Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]))
  const context = buildCompileContext(ANONYMOUS)
  return parseSearch(parameters, context).members.map((each) => compileExpression(each, context))
}

function pageOf(query: string, order: OrderIndex) {
  const by = parseOrder([ORDERS[order]], { ...buildCompileContext(ANONYMOUS), ids: [] })
  return planPage(compiled(query), by, by.orderIndex)
}

/** How SQLite finds rows: the indexes in the order of its loops, and whether it must sort. */
function pathOf(rows: readonly Row[]): string {
  return rows
    .map(({ detail }) => String(detail).replace(/^(SEARCH|SCAN) bugs ?(USING )?(COVERING )?/, ''))
    .filter((detail) => !/^(SCALAR|LIST|CORRELATED|CREATE BLOOM)|LAST TERM/.test(detail))
    .join(' + ')
}

async function pathOfSelect(select: SQL): Promise<string> {
  const rows = await execute(sql`EXPLAIN QUERY PLAN ${select}`)
  return pathOf(rows.filter(({ parent }) => parent === 0))
}

/** The path of a plan within the statement that reads its page. */
async function pathOfPage(plan: PagePlan): Promise<string> {
  const page = bugsOnPage(ANONYMOUS, [plan], { limit: 20, offset: 0 })
  const rows = await execute(
    sql`EXPLAIN QUERY PLAN SELECT bugs.id FROM bugs WHERE ${page.condition}`,
  )
  const subquery = rows.find(({ detail }) => String(detail).startsWith('LIST SUBQUERY'))
  return pathOf(rows.filter(({ parent }) => parent === subquery?.id))
}

/** The ways to find a page, each by its path; those that serve when they find few bugs are marked. */
function pathsOf(query: string, order: OrderIndex): Promise<string[]> {
  const paths = pageOf(query, order).map(async (plan) =>
    plan.candidates === undefined
      ? pathOfPage(plan)
      : `few: ${await pathOfSelect(sql`SELECT * FROM (${plan.candidates}) LIMIT 2001`)}`,
  )
  return Promise.all(paths)
}

test.each([
  'product=P', 'product=P&product=Q', 'product=P&status=A', 'status=A','status=A&status=B','status=__open__','product=P&status=__open__','product=P&last_change_time=2020-01-01','product=P&creation_time=2020-01-01','product=P&component=C','component=C','product=P&component=C&status=A','version=1','target_milestone=1','assigned_to=a@b.test','assigned_to=a@b.test,c@d.test','assigned_to=a@b.test&status=__open__','creator=a@b.test&product=P','qa_contact=a@b.test','triage_owner=a@b.test','id=1,2,3','alias=x','summary=crash','summary=crash&summary=hang','summary=cr&product=P','short_desc=crash%20now','description=a%20b%20c','resolution=---','priority=P1','severity=S1','severity=S1&severity=S2','last_change_time=2020-01-01','creation_time=2020-01-01&status=A','cc=a@b.test','keywords=x','keywords=x,y','flag=review%3F','classification=A','product=P&description=a%20b%20c','whiteboard=A','n1=1&f1=product&o1=equals&v1=P','j_top=OR&f1=product&o1=equals&v1=P&f2=cc&o2=equals&v2=a@b.test','email1=a@b.test&emailtype1=exact&emailassigned_to1=1&emailreporter1=1&emailcc1=1','quicksearch=crash%20window','longdesc=window','comment_tag=x','blocked=3','tag=x','see_also=x',
])('%s', async (query) => {
  const all = await pathOfSelect(sql`SELECT bugs.id FROM bugs WHERE ${bugsWhere(ANONYMOUS, [planAll(compiled(query))]).condition} ORDER BY +bugs.id`)
  console.log(`@@ ${JSON.stringify([query, all, await pathsOf(query, 'id'), await pathsOf(query, 'changed_at')])}`)
})
