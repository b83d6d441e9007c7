import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { flagActivity, flagTypes } from '../../platform/db/schema/flags.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, limitTo, sql } from '../../platform/db/sql.ts'

const s = aliasColumns(users, 's')
const r = aliasColumns(users, 'r')
const t = aliasColumns(flagTypes, 't')
const named = aliasColumns(flagTypes, 'named')
const a = aliasColumns(flagActivity, 'a')

/** The flags whose activity is listed. The condition is about the table `flag_activity`. */
export type ActivityScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'condition'; readonly condition: SQL }
  | { readonly kind: 'typeName'; readonly name: string }

type ActivityQuery = {
  readonly scope: ActivityScope
  /** Further conditions on the table `flag_activity`. */
  readonly filters: readonly SQL[]
  /** Whether the filters bound the time. */
  readonly hasTimeBounds: boolean
  readonly limit: number
  readonly offset: number
}

export type ActivityRow = Awaited<ReturnType<typeof selectActivity>>[number]

/**
 * Selects one page of flag activity. Rows that the caller does not see are left out before the page is cut,
 * so that pages are full; rows outside of the page are skipped by index.
 */
export function selectActivity(caller: Caller, query: ActivityQuery) {
  return db
    .select({
      id: sql<number>`${a.id}`.as('activity_id'),
      flagId: sql<number>`${a.flagId}`.as('flag_id'),
      bugId: sql<number>`${a.bugId}`.as('bug_id'),
      attachmentId: sql<number | null>`${a.attachmentId}`.as('attachment_id'),
      status: sql<'?' | '+' | '-' | 'X'>`${a.status}`.as('status'),
      happenedAt: sql<number>`${a.happenedAt}`.as('happened_at'),
      setterId: sql<number>`${s.id}`.as('setter_id'),
      setter: sql<string>`${s.login}`.as('setter'),
      setterName: sql<string>`${s.realName}`.as('setter_name'),
      setterNick: sql<string | null>`${s.nick}`.as('setter_nick'),
      requesteeId: sql<number | null>`${r.id}`.as('requestee_id'),
      requestee: sql<string | null>`${r.login}`.as('requestee'),
      requesteeName: sql<string | null>`${r.realName}`.as('requestee_name'),
      requesteeNick: sql<string | null>`${r.nick}`.as('requestee_nick'),
      typeId: sql<number>`${t.id}`.as('type_id'),
      typeName: sql<string>`${t.name}`.as('type_name'),
      description: sql<string>`${t.description}`.as('description'),
      target: sql<'bug' | 'attachment'>`${t.target}`.as('target'),
      isActive: sql<boolean>`${t.isActive}`.mapWith(Boolean).as('is_active'),
      isRequesteeble: sql<boolean>`${t.isRequesteeble}`.mapWith(Boolean).as('is_requesteeble'),
      isMultiplicable: sql<boolean>`${t.isMultiplicable}`.mapWith(Boolean).as('is_multiplicable'),
    })
    .from(
      sql`flag_activity a JOIN flag_types t ON ${t.id} = ${a.typeId} JOIN users s ON ${s.id} = ${a.setterId}
        LEFT JOIN users r ON ${r.id} = ${a.requesteeId}`,
    )
    .where(sql`${a.id} IN (${selectPageIds(caller, query)})`)
    .orderBy(
      query.scope.kind === 'all' && query.hasTimeBounds ? sql`${a.happenedAt}, ${a.id}` : a.id,
    )
}

/** A select of the IDs on the page. */
function selectPageIds(
  caller: Caller,
  { scope, filters, hasTimeBounds, limit, offset }: ActivityQuery,
): SQL {
  const visibleIds = (condition: SQL, order: SQL, max: number) => sql`SELECT ${flagActivity.id}
    FROM flag_activity CROSS JOIN bugs ON ${bugs.id} = ${flagActivity.bugId}
    WHERE ${condition} AND ${allOf(filters)} AND ${visibleBugCondition(caller)}
      AND (${flagActivity.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
        WHERE ${attachments.id} = ${flagActivity.attachmentId} AND ${visibleAttachmentCondition(caller)}))
    ORDER BY ${order} ${limitTo(max)}`
  const byId = sql`${flagActivity.id}`
  switch (scope.kind) {
    case 'all': {
      // the index of the time is only used when the order follows it
      const order = hasTimeBounds ? sql`${flagActivity.happenedAt}, ${flagActivity.id}` : byId
      return sql`${visibleIds(sql`1`, order, limit)} OFFSET ${offset}`
    }
    case 'condition':
      return sql`${visibleIds(scope.condition, byId, limit)} OFFSET ${offset}`
    case 'typeName': {
      // several types may have the name: the first rows of each are merged
      const ofType = visibleIds(sql`${flagActivity.typeId} = ${named.id}`, byId, limit + offset)
      return sql`SELECT first.value FROM flag_types named,
          json_each((SELECT json_group_array(one.id) FROM (${ofType}) one)) first
        WHERE ${named.name} = ${scope.name} ORDER BY first.value ${limitTo(limit)} OFFSET ${offset}`
    }
  }
}
