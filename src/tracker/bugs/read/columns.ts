import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ViewerRights } from '../../../platform/access/caller.ts'
import { hoursWorked } from '../../../platform/access/privacy.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
  visibleCommentCondition,
  visibleCommentCount,
} from '../../../platform/access/visibility.ts'
import {
  attachments,
  bugCc,
  bugGroups,
  bugKeywords,
  bugs,
  bugTags,
  comments,
  customValues,
  dependencies,
  history,
  regressions,
  seeAlso,
} from '../../../platform/db/schema/bugs.ts'
import { fields, fieldValues, keywords } from '../../../platform/db/schema/fields.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import { groups } from '../../../platform/db/schema/groups.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, columnName, jsonList, sql } from '../../../platform/db/sql.ts'
import { selectFlagTuples } from '../../flags/present.ts'
import { LOCAL_LINK } from '../../history/links.ts'
import { storedValuesCondition, visibleValueCondition } from '../custom-fields/present.ts'
import { NAMES, type NameColumn } from './names.ts'
import { NEXT_STATUSES, RIGHTS_GROUPS } from './rights.ts'

const OWN = aliasColumns(bugs, 'bugs')
const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')
const k = aliasColumns(keywords, 'k')
const other = aliasColumns(bugs, 'other')
const s = aliasColumns(fieldValues, 's')
const a = aliasColumns(seeAlso, 'a')
const v = aliasColumns(fieldValues, 'v')
const f = aliasColumns(fields, 'f')
const flag = aliasColumns(flags, 'f')
const t = aliasColumns(bugTags, 't')
const h = aliasColumns(history, 'h')
const cc = aliasColumns(bugCc, 'cc')
const b = aliasColumns(bugGroups, 'b')
const bk = aliasColumns(bugKeywords, 'bk')
const c = aliasColumns(customValues, 'c')
const m = aliasColumns(comments, 'm')

/** A person as a column holds one: ID, login, real name, nick. */
export type PersonTuple = [number, string, string, string | null]

/** A status as a column holds one: its name, and 1 when bugs in it are open. */
export type StatusTuple = [string, number]

/** What SQLite answers for the columns of `bugs`. */
type OwnRow = {
  [Name in keyof typeof bugs.$inferSelect]: (typeof bugs.$inferSelect)[Name] extends boolean
    ? number
    : (typeof bugs.$inferSelect)[Name]
}

/** What can be read of a bug, as SQLite answers it. Lists and people are JSON text; a list without items may be null. */
export type BugRow = OwnRow & {
  status: string
  resolution: string
  type: string
  priority: string
  severity: string
  platform: string
  opSys: string
  product: string
  classification: string
  component: string
  version: string
  milestone: string
  assignedTo: string
  creator: string
  qaContact: string | null
  triageOwner: string | null
  cc: string | null
  groups: string | null
  keywords: string | null
  blocks: string | null
  dependsOn: string | null
  regressedBy: string | null
  regressions: string | null
  dupeOf: number | null
  duplicates: string | null
  seeAlso: string | null
  flags: string | null
  actualTime: number
  custom: string | null
  description: string | null
  tags: string
  attachmentCount: number
  changedByPeopleAt: number
  rightsGroups: string
  nextStatuses: string
}

export type BugColumn = keyof BugRow

/**
 * One expression for each column, over the table `bugs` and its joins (`joinsFor`). Other bugs, in custom
 * fields too, are named only when the viewer sees them. `bots` are folded logins.
 */
export function bugColumns(viewer: ViewerRights, bots: readonly string[]): Record<BugColumn, SQL> {
  return {
    ...OWN,
    ...SHOWN_NAMES,
    ...SETS,
    ...links(viewer),
    ...personal(viewer),
    changedByPeopleAt: changedWithout(bots),
    rightsGroups: RIGHTS_GROUPS,
    nextStatuses: NEXT_STATUSES,
  }
}

/** A list that most bugs have nothing in: whether this one does is found sooner than what. */
function ifAny(isAny: SQL, list: SQL, none = sql`NULL`): SQL {
  return sql`CASE WHEN ${isAny} THEN ${list} ELSE ${none} END`
}

/** What is read of custom fields, where there is any; that is evaluated once for all bugs. */
export function ifAnyCustom(read: SQL, none?: SQL): SQL {
  return ifAny(sql`EXISTS (SELECT 1 FROM fields WHERE ${fields.isCustom} = 1)`, read, none)
}

const SHOWN_NAMES = Object.fromEntries(
  Object.entries(NAMES).map(([column, { shown }]) => [column, shown]),
) as Record<NameColumn, SQL>

const SETS = {
  cc: sql`(SELECT json_group_array(json_array(${u.id}, ${u.login}, ${u.realName}, ${u.nick}) ORDER BY ${u.loginFold})
    FROM bug_cc cc JOIN users u ON ${u.id} = ${cc.userId} WHERE ${cc.bugId} = ${bugs.id})`,
  groups: ifAny(
    sql`${bugs.groupCount} > 0`,
    sql`(SELECT json_group_array(${g.name} ORDER BY ${g.nameFold})
      FROM bug_groups b JOIN access_groups g ON ${g.id} = ${b.groupId} WHERE ${b.bugId} = ${bugs.id})`,
  ),
  keywords: sql`(SELECT json_group_array(${k.name} ORDER BY ${k.nameFold})
    FROM bug_keywords bk JOIN keywords k ON ${k.id} = ${bk.keywordId} WHERE ${bk.bugId} = ${bugs.id})`,
  flags: selectFlagTuples(sql`${flag.bugId} = ${bugs.id} AND ${flag.attachmentId} IS NULL`),
}

function links(viewer: ViewerRights) {
  const seen = visibleBugCondition(viewer, 'other')
  const linked = (table: SQLiteTable, here: SQLiteColumn, there: SQLiteColumn) =>
    ifAny(
      sql`EXISTS (SELECT 1 FROM ${table} l WHERE l.${columnName(here)} = ${bugs.id})`,
      sql`(SELECT json_group_array(${other.id} ORDER BY ${s.isOpen} DESC, ${other.id})
        FROM ${table} l JOIN bugs other ON ${other.id} = l.${columnName(there)}
          JOIN field_values s ON ${s.id} = ${other.statusId}
        WHERE l.${columnName(here)} = ${bugs.id} AND ${seen})`,
    )
  return {
    dependsOn: linked(dependencies, dependencies.bugId, dependencies.dependsOnId),
    blocks: linked(dependencies, dependencies.dependsOnId, dependencies.bugId),
    regressedBy: linked(regressions, regressions.bugId, regressions.regressedById),
    regressions: linked(regressions, regressions.regressedById, regressions.bugId),
    dupeOf: sql`CASE WHEN ${bugs.dupeOfId} IS NOT NULL
      THEN (SELECT ${other.id} FROM bugs other WHERE ${other.id} = ${bugs.dupeOfId} AND ${seen}) END`,
    duplicates: sql`(SELECT json_group_array(${other.id} ORDER BY ${other.id})
      FROM bugs other WHERE ${other.dupeOfId} = ${bugs.id} AND ${seen})`,
    seeAlso: ifAny(
      sql`EXISTS (SELECT 1 FROM see_also a WHERE ${a.bugId} = ${bugs.id})`,
      sql`(SELECT json_group_array(coalesce(${sql.raw(`'${LOCAL_LINK}'`)} || ${a.localBugId}, ${a.url}) ORDER BY ${a.id}) FROM see_also a
        WHERE ${a.bugId} = ${bugs.id} AND (${a.localBugId} IS NULL OR EXISTS (
          SELECT 1 FROM bugs other WHERE ${other.id} = ${a.localBugId} AND ${seen})))`,
    ),
    custom: ifAnyCustom(
      sql`(SELECT json_group_array(json_array(${c.fieldId}, ${c.text}, ${c.number}, ${v.name}) ORDER BY ${v.nameFold})
        FROM custom_values c JOIN fields f ON ${f.id} = ${c.fieldId}
          LEFT JOIN field_values v ON ${v.id} = ${c.valueId}
        WHERE ${storedValuesCondition(sql`${bugs.id}`)} AND ${visibleValueCondition(viewer)})`,
    ),
  }
}

function personal(viewer: ViewerRights) {
  const owner = viewer.kind === 'person' ? sql`${viewer.id}` : sql`0`
  return {
    commentCount: visibleCommentCount(viewer),
    description: sql`(SELECT ${comments.body} FROM comments
      WHERE ${comments.bugId} = ${bugs.id} AND ${comments.number} = 0 AND ${visibleCommentCondition(viewer)})`,
    actualTime: hoursWorked(viewer),
    tags: sql`(SELECT json_group_array(${t.name} ORDER BY ${t.nameFold}) FROM bug_tags t
      WHERE ${t.bugId} = ${bugs.id} AND ${t.userId} = ${owner})`,
    attachmentCount: sql`(SELECT count(*) FROM attachments
      WHERE ${attachments.bugId} = ${bugs.id} AND ${visibleAttachmentCondition(viewer)})`,
  }
}

/**
 * When somebody other than these last commented or changed something; filing the bug counts for everybody.
 */
function changedWithout(logins: readonly string[]): SQL {
  if (logins.length === 0) {
    return sql`${bugs.changedAt}`
  }
  const byOthers = (author: SQL) =>
    sql`${author} NOT IN (SELECT ${users.id} FROM users WHERE ${users.loginFold} IN ${jsonList(logins)})`
  return sql`max(${bugs.createdAt},
    coalesce((SELECT max(${m.createdAt}) FROM comments m WHERE ${m.bugId} = ${bugs.id} AND ${byOthers(m.authorId)}), 0),
    coalesce((SELECT max(${h.changedAt}) FROM history h WHERE ${h.bugId} = ${bugs.id} AND ${byOthers(h.authorId)}), 0))`
}
