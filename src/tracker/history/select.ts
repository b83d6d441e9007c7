import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById } from '../../platform/access/bug-set.ts'
import { visibleRowConditions } from '../../platform/access/privacy.ts'
import type { Ctx } from '../../platform/context.ts'
import { limitExpression } from '../../platform/db/drizzle-internals.ts'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, directionOf, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { namesBugsCondition } from './links.ts'
import { type HistoryPage, isFromEnd, pageConditions } from './position.ts'
import { omitHiddenBugs } from './visibility.ts'

/** A change of which the values are read while the answer is sent. */
export type LateRow = { readonly id: number; readonly bugId: number; readonly size: number }

const u = aliasColumns(users, 'u')

/** Bytes of a value from which on it is read when it is sent, or a page has its beginning: more than it shows. */
const [LONG_BYTES, LONG_BYTES_OF_PAGE] = [2000, 300]

/** Which changes are selected: all, those after a moment in Unix seconds, or a page of one bug. */
type HistoryRange = { readonly newSince?: number | undefined; readonly page?: HistoryPage }

/**
 * Selects the history of bugs that is visible to the caller. Bugs hidden from the caller are cut out of `removed` and
 * `added`; a row of which nothing is left has both empty, and belongs to no page. Of long values a page for people gets
 * the beginnings, and others get nothing: `isSame` tells whether they differ, and `size` their bytes. A page begins at
 * its place or with the newest row, and has one row more than it shows where there are others behind it.
 */
export function selectHistory(ctx: Ctx, set: BugSet, { newSince, page }: HistoryRange = {}) {
  const { caller, shortensValues = false } = ctx
  const [removed, added] = [
    visibleItems(ctx, sql`${history.removed}`),
    visibleItems(ctx, sql`${history.added}`),
  ]
  const most = shortensValues ? LONG_BYTES_OF_PAGE : LONG_BYTES
  const isLong = sql`${VALUE_BYTES} > ${2 * most}`
  const shown = (value: SQL) => {
    const beginning = sql`CASE WHEN length(${value}) > ${most} THEN substr(${value}, 1, ${most}) || '…' ELSE ${value} END`
    return sql<string>`CASE WHEN ${isLong} THEN ${shortensValues ? beginning : sql`''`} ELSE ${value} END`
  }
  const direction = directionOf(isFromEnd(page))
  const rows = db
    .select({
      ...pick(history, 'id', 'bugId', 'changedAt'),
      author: sql<string>`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${history.authorId})`.as(
        'author',
      ),
      field: history.field,
      removed: shown(removed).as('removed_words'),
      added: shown(added).as('added_words'),
      size: sql<number>`CASE WHEN ${isLong} THEN ${VALUE_BYTES} ELSE 0 END`.as('long_size'),
      isSame: sql<number>`CASE WHEN ${isLong} THEN ${removed} = ${added} ELSE 0 END`.as('is_same'),
      attachmentId: history.attachmentId,
    })
    .from(history)
    .where(
      allOf([
        ofBugs(set, page !== undefined),
        ...sinceConditions(newSince),
        ...pageConditions(page ?? {}),
        ...visibleRowConditions(caller),
        ...(page === undefined ? [] : [sql`${removed} <> ${added}`]),
      ]),
    )
    .orderBy(history.bugId, sql`${history.changedAt} ${direction}`, sql`${history.id} ${direction}`)
  return page?.newest === undefined
    ? rows
    : rows.limit(limitExpression(sql`${page.newest + 1} + 0`))
}

/** Selects the bytes of the values that a whole history brings. */
export function selectHistorySize({ caller }: Ctx, set: BugSet, newSince?: number) {
  return db
    .select({ bytes: sql<number>`coalesce(sum(${VALUE_BYTES}), 0)`.as('history_bytes') })
    .from(history)
    .where(allOf([ofBugs(set), ...sinceConditions(newSince), ...visibleRowConditions(caller)]))
}

/** Selects the whole values of some of these rows. */
export function selectLongValues(ctx: Ctx, rows: readonly LateRow[]) {
  const { caller } = ctx
  const set = bugsById(caller, [...new Set(rows.map(({ bugId }) => bugId))])
  return db
    .select({
      id: history.id,
      removed: visibleItems(ctx, sql`${history.removed}`).as('removed_words'),
      added: visibleItems(ctx, sql`${history.added}`).as('added_words'),
    })
    .from(history)
    .where(
      allOf([
        sql`${history.id} IN ${jsonList(rows.map(({ id }) => id))}`,
        ofBugs(set),
        ...visibleRowConditions(caller),
      ]),
    )
}

const VALUE_BYTES = sql`octet_length(${history.removed}) + octet_length(${history.added})`

/** Equality with the one bug of a page lets an index hold its rows in order. */
function ofBugs({ condition }: BugSet, isPage = false): SQL {
  const operator = isPage ? sql`=` : sql`IN`
  return sql`${history.bugId} ${operator} (SELECT ${bugs.id} FROM bugs WHERE ${condition})`
}

function sinceConditions(newSince: number | undefined): SQL[] {
  return newSince === undefined ? [] : [sql`${history.changedAt} > ${newSince}`]
}

function visibleItems({ caller, baseUrl }: Ctx, column: SQL) {
  return sql<string>`CASE WHEN ${namesBugsCondition()}
    THEN ${omitHiddenBugs(caller, baseUrl, column)} ELSE ${column} END`
}
