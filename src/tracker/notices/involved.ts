import type { SQL } from 'drizzle-orm'
import { personVisibleToCondition } from '../../platform/access/people.ts'
import { REACH_LIMIT } from '../../platform/db/read-limit.ts'
import { bugCc, bugs, dependencies, history } from '../../platform/db/schema/bugs.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { componentWatches, personWatches } from '../../platform/db/schema/watches.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { foldName } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { splitItems } from '../history/links.ts'
import { opensOrClosesCondition, selectPeopleOfBlockedBugs } from './dependent-bugs.ts'
import { selectPeopleOfFlags } from './flag-news.ts'

const n = aliasColumns(notices, 'n')
const gone = aliasColumns(users, 'gone')
const u = aliasColumns(users, 'u')
const h = aliasColumns(history, 'h')
const c = aliasColumns(components, 'c')
const p = aliasColumns(products, 'p')
const pw = aliasColumns(personWatches, 'pw')
const cw = aliasColumns(componentWatches, 'cw')
const cc = aliasColumns(bugCc, 'cc')
const d = aliasColumns(dependencies, 'd')

/** Whom notices may concern: all, or those among some people, so that few of many are loaded at once. */
export type InvolvedIn = {
  readonly noticeIds: readonly number[]
  readonly among?: readonly number[]
}

/** The logins in a setting, folded. A login may contain all that separates names elsewhere but the comma. */
export function parseLoginList(setting: string): string[] {
  return setting
    .split(',')
    .map(foldName)
    .filter((login) => login !== '')
}

/**
 * A select of the people whom notices may concern, of whom `recipients.ts` makes the recipients: `notice_id`,
 * `person_id`, `role`; `watched_id` for somebody who watches the person with that role; `blocked_id` for a role in a
 * bug that the bug of the notice blocks. People are watched over one step: who watches a watcher is not among them.
 */
export function selectInvolvedPeople(settings: Settings, { noticeIds, among }: InvolvedIn): SQL {
  const all = selectAllInvolved(settings, jsonList(noticeIds))
  return among === undefined
    ? all
    : sql`SELECT * FROM (${all}) AS one WHERE one.person_id IN ${jsonList(among)}`
}

/**
 * A select of one row, which fails with `ReadLimit` where notices concern more people than `most`, each counted once for
 * each role. It looks at no more of them, and evaluates `most` once.
 */
export function selectWithinLimit(noticeIds: readonly number[], most: SQL<number>) {
  const from = sql`FROM notices n JOIN bugs ON ${bugs.id} = ${n.bugId} AND ${n.id} IN ${jsonList(noticeIds)}`
  const onList = sql`${from} JOIN bug_cc cc ON ${cc.bugId} = ${bugs.id}`
  return db
    .select({
      people: sql<number>`iif(count(*) > 0, ${REACH_LIMIT}, 0)`.as('people'),
    })
    .from(sql`(SELECT 1 ${onList}
    UNION ALL SELECT 1 ${onList} JOIN person_watches pw ON ${pw.watchedId} = ${cc.userId}
    UNION ALL SELECT 1 ${from} JOIN component_watches cw ON ${cw.productId} = ${bugs.productId}
    UNION ALL SELECT 1 ${from} JOIN dependencies d ON ${d.dependsOnId} = ${n.bugId}
      LEFT JOIN bug_cc cc ON ${cc.bugId} = ${d.bugId} WHERE ${opensOrClosesCondition(n.id)}
    LIMIT 1 OFFSET ${most})`)
}

function selectAllInvolved(settings: Settings, ids: SQL): SQL {
  const mayWatcherSeeWatched = personVisibleToCondition(
    settings.USE_VISIBILITY_GROUPS,
    pw.watcherId,
    pw.watchedId,
  )
  return sql`WITH part AS MATERIALIZED (
      SELECT notice_id, person_id, role, NULL AS blocked_id FROM (${selectPeopleOfBugs(ids)})
      UNION SELECT notice_id, person_id, role, blocked_id FROM (${selectPeopleOfBlockedBugs(ids)}))
    SELECT notice_id, person_id, role, NULL AS watched_id, blocked_id FROM part
    UNION ALL
    SELECT part.notice_id, ${pw.watcherId}, part.role, ${pw.watchedId}, part.blocked_id
      FROM part JOIN person_watches pw ON ${pw.watchedId} = part.person_id
      WHERE ${mayWatcherSeeWatched}
    UNION ALL
    SELECT notice_id, person_id, 'flags', NULL, NULL FROM (${selectPeopleOfFlags(ids)})
    UNION ALL
    SELECT notice_id, person_id, role, NULL, NULL FROM (${selectWatchersOfPlaces(ids)}
      UNION ${selectGlobalWatchers(settings, ids)})`
}

/** Those who have a role in the bug, and those whom the change removed from one. */
function selectPeopleOfBugs(ids: SQL): SQL {
  return sql`SELECT ${n.id} AS notice_id, one.value AS person_id, one.key AS role
      FROM notices n JOIN bugs ON ${bugs.id} = ${n.bugId}
      JOIN json_each(json_object('assignee', ${bugs.assignedToId},
        'reporter', ${bugs.reporterId}, 'qa_contact', ${bugs.qaContactId})) one
      WHERE ${n.id} IN ${ids} AND one.value IS NOT NULL
    UNION
    SELECT ${n.id}, ${bugCc.userId}, 'cc' FROM notices n JOIN bug_cc ON ${bugCc.bugId} = ${n.bugId}
      WHERE ${n.id} IN ${ids}
    UNION
    SELECT ${history.noticeId}, ${gone.id},
        CASE ${history.field} WHEN 'assigned_to' THEN 'assignee' ELSE ${history.field} END
      FROM history JOIN ${splitItems(sql`${history.removedFold}`)} item
      JOIN users gone ON ${gone.loginFold} = item.value
      WHERE ${history.noticeId} IN ${ids} AND ${history.field} IN ('assigned_to', 'qa_contact', 'cc')`
}

/** Those who watch the component or product of the bug, or the one that the change took it from. */
function selectWatchersOfPlaces(ids: SQL): SQL {
  const removed = (field: string) => sql`(SELECT ${h.removedFold} FROM history h
    WHERE ${h.noticeId} = ${n.id} AND ${h.field} = ${field})`
  const product = sql`coalesce((SELECT ${p.id} FROM products p WHERE ${p.nameFold} = ${removed('product')}),
    ${bugs.productId})`
  const component = sql`(SELECT ${c.id} FROM components c WHERE ${c.productId} = ${product}
    AND ${c.nameFold} = coalesce(${removed('component')},
      (SELECT ${components.nameFold} FROM components WHERE ${components.id} = ${bugs.componentId})))`
  const from = sql`FROM notices n JOIN bugs ON ${bugs.id} = ${n.bugId} WHERE ${n.id} IN ${ids}`
  return sql`SELECT place.notice_id, ${cw.watcherId} AS person_id, 'component_watcher' AS role
    FROM (SELECT ${n.id} AS notice_id, ${bugs.productId} AS product_id, ${bugs.componentId} AS component_id ${from}
      UNION SELECT ${n.id}, ${product}, ${component} ${from}) AS place
    JOIN component_watches cw ON ${cw.productId} = place.product_id
      AND (${cw.componentId} IS NULL OR ${cw.componentId} = place.component_id)`
}

function selectGlobalWatchers({ GLOBAL_WATCHERS }: Settings, ids: SQL): SQL {
  return sql`SELECT ${n.id}, ${u.id}, 'global_watcher'
    FROM notices n JOIN users u ON ${u.loginFold} IN ${jsonList(parseLoginList(GLOBAL_WATCHERS))}
    WHERE ${n.id} IN ${ids}`
}
