import type { SQL } from 'drizzle-orm'
import {
  bugGroups,
  bugs,
  customValues,
  dependencies,
  regressions,
  seeAlso,
} from '../../platform/db/schema/bugs.ts'
import { BUG_TYPES, fields } from '../../platform/db/schema/fields.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { aliasColumns, db, sql, unionOf } from '../../platform/db/sql.ts'
import { historyValueOf } from '../fields/custom-value.ts'
import { isLinkingField } from '../history/links.ts'
import type { NamedBugRow, NoticeHistoryRow } from './types.ts'

const n = aliasColumns(notices, 'n')
const c = aliasColumns(customValues, 'c')
const f = aliasColumns(fields, 'f')
const other = aliasColumns(bugs, 'other')

/** An item of a field that a new bug has; `bugId` is the bug that it names. */
type SetItem = {
  readonly field: string
  readonly displayName: string | null
  readonly item: string
  readonly bugId: number | null
  readonly summary: string | null
}

/** Selects what new bugs have in fields that their mail has no place of its own for. */
export function selectSetFields(noticeIds: SQL) {
  return db
    .select({
      noticeId: sql<number>`own.notice_id`.as('notice_id'),
      field: sql<string>`own.field`.as('field'),
      displayName: sql<string | null>`${fields.displayName}`.as('display_name'),
      item: sql<string>`own.item`.as('item'),
      bugId: sql<number | null>`${other.id}`.as('linked_bug_id'),
      summary: sql<string | null>`${other.summary}`.as('linked_summary'),
    })
    .from(
      sql`(${selectItems(noticeIds)}) AS own LEFT JOIN bugs other ON ${other.id} = own.linked_id
        LEFT JOIN fields ON ${fields.name} = own.field`,
    )
}

/** A select of `notice_id` and `bug_id`: the bugs that new ones name. */
export function selectBugsInSetFields(noticeIds: SQL): SQL {
  return sql`SELECT own.notice_id, own.linked_id AS bug_id FROM (${selectItems(noticeIds)}) AS own
    WHERE own.linked_id IS NOT NULL`
}

/** The items as if a change had added them, so that each reader sees of them what they would see of that. */
export function presentAsAdded(items: readonly SetItem[]): {
  rows: NoticeHistoryRow[]
  links: NamedBugRow[]
} {
  const fieldsOfBug = [...Map.groupBy(items, ({ field }) => field)].map(([field, own], at) => ({
    // no row of history has such an ID
    field,
    own,
    id: -1 - at,
  }))
  return {
    rows: fieldsOfBug.map(({ id, field, own }) => ({
      id,
      field,
      displayName: own[0]?.displayName ?? null,
      removed: '',
      added: own.map(({ item }) => item).join(', '),
      attachmentId: null,
      isAttachmentPrivate: null,
      submitterId: null,
      isCommentPrivate: null,
      isOpen: null,
    })),
    links: fieldsOfBug.flatMap(({ id, field, own }) =>
      isLinkingField(field) || own.some(({ bugId }) => bugId !== null)
        ? own.map(({ item, bugId, summary }) => ({
            historyId: id,
            side: 'added' as const,
            item,
            bugId,
            summary,
          }))
        : [],
    ),
  }
}

function selectItems(noticeIds: SQL): SQL {
  const of = (field: string, item: SQL, linked: SQL, more: SQL) => sql`
    SELECT ${n.id} AS notice_id, ${field} AS field, ${item} AS item, ${linked} AS linked_id
    FROM notices n JOIN bugs ON ${bugs.id} = ${n.bugId} ${more} AND ${n.id} IN ${noticeIds}
      AND ${n.kind} = 'created'`
  const own = (field: string, item: SQL, isSet: SQL) =>
    of(field, sql`CAST(${item} AS TEXT)`, sql`NULL`, sql`WHERE ${isSet}`)
  const relation = (field: string, id: SQL, join: SQL) =>
    of(field, sql`CAST(${id} AS TEXT)`, id, sql`${join} WHERE ${id} IS NOT NULL`)
  return unionOf([
    own('alias', sql`${bugs.alias}`, sql`${bugs.alias} IS NOT NULL`),
    own('whiteboard', sql`${bugs.whiteboard}`, sql`${bugs.whiteboard} <> ''`),
    own('deadline', sql`${bugs.deadline}`, sql`${bugs.deadline} IS NOT NULL`),
    own('estimated_time', sql`${bugs.estimatedTime}`, sql`${bugs.estimatedTime} <> 0`),
    own('remaining_time', sql`${bugs.remainingTime}`, sql`${bugs.remainingTime} <> 0`),
    own('is_cc_accessible', sql`0`, sql`${bugs.isCcAccessible} = 0`),
    own('is_creator_accessible', sql`0`, sql`${bugs.isCreatorAccessible} = 0`),
    of(
      'groups',
      sql`${groups.name}`,
      sql`NULL`,
      sql`JOIN bug_groups ON ${bugGroups.bugId} = ${bugs.id}
        JOIN access_groups ON ${groups.id} = ${bugGroups.groupId} WHERE 1`,
    ),
    relation(
      'depends_on',
      sql`${dependencies.dependsOnId}`,
      sql`JOIN dependencies ON ${dependencies.bugId} = ${bugs.id}`,
    ),
    relation(
      'blocks',
      sql`${dependencies.bugId}`,
      sql`JOIN dependencies ON ${dependencies.dependsOnId} = ${bugs.id}`,
    ),
    relation(
      'regressed_by',
      sql`${regressions.regressedById}`,
      sql`JOIN regressions ON ${regressions.bugId} = ${bugs.id}`,
    ),
    relation(
      'regressions',
      sql`${regressions.bugId}`,
      sql`JOIN regressions ON ${regressions.regressedById} = ${bugs.id}`,
    ),
    of(
      'see_also',
      sql`${seeAlso.url}`,
      sql`${seeAlso.localBugId}`,
      sql`JOIN see_also ON ${seeAlso.bugId} = ${bugs.id} WHERE 1`,
    ),
    sql`SELECT ${n.id}, ${f.name}, ${historyValueOf(f.type)},
        CASE WHEN ${f.type} IN (${sql.raw(BUG_TYPES.join(', '))}) THEN CAST(${c.number} AS INTEGER) END
      FROM notices n JOIN custom_values c ON ${c.bugId} = ${n.bugId} AND (${c.valueId} IS NULL OR ${c.valueId} IS NOT NULL)
        JOIN fields f ON ${f.id} = ${c.fieldId}
      WHERE ${n.id} IN ${noticeIds} AND ${n.kind} = 'created'`,
  ])
}
