import type { SQL } from 'drizzle-orm'
import { abortBeyond, abortIf, type Statement } from '../../platform/db/commit.ts'
import { attachments, bugCc, bugs } from '../../platform/db/schema/bugs.ts'
import { flagActivity, flags as flagsTable, flagTypes } from '../../platform/db/schema/flags.ts'
import { users } from '../../platform/db/schema/users.ts'
import {
  aliasColumns,
  columnName,
  columnNames,
  jsonList,
  jsonRows,
  limitTo,
  newestId,
  sql,
} from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'
import { bugChangedAt, type HistoryOrigin, recordHistory } from '../history/record.ts'
import { type CurrentFlag, MAX_FLAGS_OF_BUG } from './load.ts'
import { changesFlags, type FlagEdits } from './plan-edits.ts'

const u = aliasColumns(users, 'u')
const c = aliasColumns(bugCc, 'c')
const a = aliasColumns(attachments, 'a')
const t = aliasColumns(flagTypes, 't')
const b = aliasColumns(bugs, 'b')
const f = aliasColumns(flagsTable, 'f')
const n = aliasColumns(flagsTable, 'n')

const FLAGS_COLUMNS = columnNames(
  flagsTable.bugId,
  flagsTable.attachmentId,
  flagsTable.typeId,
  flagsTable.status,
  flagsTable.setterId,
  flagsTable.requesteeId,
  flagsTable.createdAt,
  flagsTable.modifiedAt,
)
const FLAG_ACTIVITY_COLUMNS = columnNames(
  flagActivity.flagId,
  flagActivity.typeId,
  flagActivity.bugId,
  flagActivity.attachmentId,
  flagActivity.status,
  flagActivity.setterId,
  flagActivity.requesteeId,
  flagActivity.happenedAt,
)

/**
 * The statements that write flag edits, behind `recordNotice` and behind the statements that insert or move
 * bugs and insert attachments; 'new' in the edits is the newest one. They abort the commit when a bug has
 * another component than decided, or when a flag or type changed since it was read. The bugs of
 * `listChangedBugs` need a notice; the caller updates `changed_at` of attachments.
 */
export function flagStatements(all: readonly FlagEdits[], origin: HistoryOrigin): Statement[] {
  const edits = all.filter(changesFlags)
  const moved = all.filter(({ movedFlags }) => movedFlags !== null)
  if (edits.length + moved.length === 0) {
    return []
  }
  return [
    abortIf(sql`${changedFlagsCondition(edits)} OR ${changedMovedFlagsCondition(moved)}`),
    ...historyStatements(edits, origin),
    ...clearStatements(edits, origin.authorId),
    ...updateStatements(edits),
    ...createStatements(edits),
  ]
}

/** The IDs of existing bugs whose flags, or whose attachments' flags, change. */
export function listChangedBugs(edits: readonly FlagEdits[]): number[] {
  const ids = edits.filter(changesFlags).map(({ bug }) => bug.id)
  return [...new Set(ids)].filter((id) => id !== 'new')
}

/**
 * The new requestees of each bug. A verb that edits CC lists adds them to its edits; others use
 * `addRequesteesToCcStatements`.
 */
export function listNewRequestees(
  edits: readonly FlagEdits[],
): { bugId: number | 'new'; userIds: number[] }[] {
  const byBug = Map.groupBy(edits, ({ bug }) => bug.id)
  return [...byBug]
    .map(([bugId, own]) => ({
      bugId,
      userIds: [...new Set(own.flatMap(({ newRequesteeIds }) => newRequesteeIds))],
    }))
    .filter(({ userIds }) => userIds.length > 0)
}

/** Adds new requestees to the CC lists of existing bugs, with history; behind `recordNotice`. */
export function addRequesteesToCcStatements(
  edits: readonly FlagEdits[],
  origin: HistoryOrigin,
): Statement[] {
  const rows = listNewRequestees(edits).map(({ bugId, userIds }) => [bugId, userIds])
  if (rows.length === 0) {
    return []
  }
  const missing = (column: SQL) => sql`coalesce((SELECT group_concat(name, ', ' ORDER BY place)
    FROM (SELECT ${column} AS name, ${u.loginFold} AS place
      FROM json_each(r.value, '$[1]') a JOIN users u ON ${u.id} = a.value
      WHERE NOT EXISTS (SELECT 1 FROM bug_cc c
        WHERE ${c.bugId} = r.value ->> 0 AND ${c.userId} = ${u.id}))), '')`
  return [
    recordHistory(
      {
        field: 'cc',
        from: jsonRows(rows),
        bugId: sql`r.value ->> 0`,
        added: missing(u.login),
        addedFolded: missing(u.loginFold),
      },
      origin,
    ),
    sql`INSERT OR IGNORE INTO bug_cc (${columnNames(bugCc.bugId, bugCc.userId)})
      SELECT r.value ->> 0, a.value FROM ${jsonRows(rows)}, json_each(r.value, '$[1]') a`,
  ]
}

/** Rows begin with the ID of the bug, null for a new one, and that of the attachment, 0 for a new one. */
const BUG = sql`coalesce(r.value ->> 0, ${newestId(bugs)})`
const ATTACHMENT = sql`CASE r.value ->> 1
  WHEN 0 THEN (SELECT max(${a.id}) FROM attachments a WHERE ${a.bugId} = ${BUG}) ELSE r.value ->> 1 END`

function toTargetIds({ bug, attachment }: FlagEdits): [number | null, number | null] {
  const attachmentId = attachment?.id ?? null
  return [bug.id === 'new' ? null : bug.id, attachmentId === 'new' ? 0 : attachmentId]
}

/**
 * The condition that a bug, its flags or a type differ from what the decision read. A new flag raises the
 * highest ID, a deleted one lowers the number, and a changed one raises the sum of the revisions.
 */
function changedFlagsCondition(edits: readonly FlagEdits[]): SQL {
  const types = new Map(
    edits.flatMap((each) => each.types.map(({ id, revision }) => [id, revision])),
  )
  const targets = edits.map((each) => [
    ...toTargetIds(each),
    each.bug.productId,
    each.bug.componentId,
    ...summarizeFlags(each.currentFlags),
  ])
  return sql`EXISTS (SELECT 1 FROM ${jsonRows([...types])} WHERE NOT EXISTS (
      SELECT 1 FROM flag_types t
      WHERE ${t.id} = r.value ->> 0 AND ${t.revision} = r.value ->> 1))
    OR EXISTS (SELECT 1 FROM ${jsonRows(targets)} WHERE NOT EXISTS (
      SELECT 1 FROM bugs b WHERE ${b.id} = ${BUG}
        AND ${b.productId} = r.value ->> 2 AND ${b.componentId} = r.value ->> 3)
      OR (SELECT ${FLAGS_SUMMARY} FROM flags f WHERE ${f.bugId} = ${BUG} AND ${f.attachmentId} IS ${ATTACHMENT})
        <> json_array(r.value ->> 4, r.value ->> 5, r.value ->> 6))`
}

/** The condition that a bug that moves has other flags than the decision read. */
function changedMovedFlagsCondition(moved: readonly FlagEdits[]): SQL {
  const rows = moved.map(({ bug, movedFlags }) => [bug.id, ...summarizeFlags(movedFlags ?? [])])
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(rows)}
    WHERE (SELECT ${FLAGS_SUMMARY} FROM flags f WHERE ${f.bugId} = r.value ->> 0)
      <> json_array(r.value ->> 1, r.value ->> 2, r.value ->> 3))`
}

/** The number of flags, the highest ID and the sum of the revisions; the same as `FLAGS_SUMMARY` in SQL. */
function summarizeFlags(flags: readonly CurrentFlag[]): [number, number, number] {
  return [
    flags.length,
    Math.max(0, ...flags.map(({ id }) => id)),
    flags.reduce((sum, { revision }) => sum + revision, 0),
  ]
}

const FLAGS_SUMMARY = sql`json_array(count(*), coalesce(max(${f.id}), 0), coalesce(sum(${f.revision}), 0))`

/** One statement for bugs and one for attachments, because their history rows return different IDs. */
function historyStatements(edits: readonly FlagEdits[], origin: HistoryOrigin): Statement[] {
  const changed = edits.filter(({ removed, added }) => removed !== added)
  const rows = (own: readonly FlagEdits[]) =>
    own.map((each) => {
      const { removed, added } = each
      return [...toTargetIds(each), removed, fold(removed), added, fold(added)]
    })
  return [
    { own: changed.filter(({ attachment }) => attachment === null), target: {} },
    {
      own: changed.filter(({ attachment }) => attachment !== null),
      target: { attachmentId: ATTACHMENT },
    },
  ].flatMap(({ own, target }) =>
    own.length === 0
      ? []
      : [
          recordHistory(
            {
              field: 'flagtypes.name',
              from: jsonRows(rows(own)),
              bugId: BUG,
              removed: sql`r.value ->> 2`,
              removedFolded: sql`r.value ->> 3`,
              added: sql`r.value ->> 4`,
              addedFolded: sql`r.value ->> 5`,
              ...target,
            },
            origin,
          ),
        ],
  )
}

function clearStatements(edits: readonly FlagEdits[], authorId: number): Statement[] {
  const ids = edits.flatMap(({ clears }) => clears.map(({ id }) => id))
  const cleared = sql`flags f WHERE ${f.id} IN ${jsonList(ids)}`
  return ids.length === 0
    ? []
    : [
        recordFlagActivity(cleared, { status: sql`'X'`, setterId: sql`${authorId}` }),
        sql`DELETE FROM flags WHERE ${flagsTable.id} IN ${jsonList(ids)}`,
      ]
}

/** A flag that only moves to another type keeps its times and gets no activity. */
function updateStatements(edits: readonly FlagEdits[]): Statement[] {
  const updates = edits.flatMap((each) => each.updates)
  if (updates.length === 0) {
    return []
  }
  const rows = updates.map(({ before, after, isRecorded }) => [
    before.id,
    after.type.id,
    after.status,
    after.setterId,
    after.requestee?.id ?? null,
    isRecorded ? 1 : 0,
  ])
  const recordedIds = updates.filter(({ isRecorded }) => isRecorded).map(({ before }) => before.id)
  return [
    sql`UPDATE flags SET ${columnName(flagsTable.typeId)} = r.value ->> 1, ${columnName(flagsTable.status)} = r.value ->> 2, ${columnName(flagsTable.setterId)} = r.value ->> 3,
        ${columnName(flagsTable.requesteeId)} = r.value ->> 4, ${columnName(flagsTable.revision)} = ${flagsTable.revision} + 1,
        ${columnName(flagsTable.modifiedAt)} = CASE r.value ->> 5
          WHEN 1 THEN ${bugChangedAt(sql`${flagsTable.bugId}`)} ELSE ${flagsTable.modifiedAt} END
      FROM ${jsonRows(rows)} WHERE ${flagsTable.id} = r.value ->> 0`,
    ...(recordedIds.length === 0
      ? []
      : [recordFlagActivity(sql`flags f WHERE ${f.id} IN ${jsonList(recordedIds)}`)]),
  ]
}

/** Activity reads the inserted flags as the newest ones of the table. */
function createStatements(edits: readonly FlagEdits[]): Statement[] {
  const rows = edits.flatMap((each) =>
    each.creates.map(({ type, status, setterId, requestee }) => [
      ...toTargetIds(each),
      type.id,
      status,
      setterId,
      requestee?.id ?? null,
    ]),
  )
  if (rows.length === 0) {
    return []
  }
  return [
    sql`INSERT INTO flags (${FLAGS_COLUMNS})
      SELECT t.bug_id, t.attachment_id, t.type_id, t.status, t.setter_id, t.requestee_id,
        ${bugChangedAt(sql`t.bug_id`)}, ${bugChangedAt(sql`t.bug_id`)}
      FROM (SELECT r.key AS place, ${BUG} AS bug_id, ${ATTACHMENT} AS attachment_id,
          r.value ->> 2 AS type_id, r.value ->> 3 AS status, r.value ->> 4 AS setter_id,
          r.value ->> 5 AS requestee_id
        FROM ${jsonRows(rows)}) t ORDER BY t.place`,
    recordFlagActivity(
      sql`(SELECT n.* FROM flags n ORDER BY ${n.id} DESC ${limitTo(rows.length)}) f`,
    ),
    ...limitFlags(edits),
  ]
}

/** Fails the commit where a bug has too many flags then, in all its places. */
function limitFlags(edits: readonly FlagEdits[]): Statement[] {
  const grown = edits.filter(({ creates }) => creates.length > 0)
  const ids = [...new Set(grown.map(({ bug }) => bug.id))].filter((id) => id !== 'new')
  return abortBeyond(
    MAX_FLAGS_OF_BUG,
    ids,
    (id) => sql`SELECT 1 FROM flags n WHERE ${n.bugId} = ${id}`,
  )
}

/**
 * Records the activity of the flags that `from` reads as `f`, at the time of the change of their bugs.
 * Status and setter are those of the flag unless given.
 */
export function recordFlagActivity(
  from: SQL,
  {
    status = sql`${f.status}`,
    setterId = sql`${f.setterId}`,
  }: { status?: SQL; setterId?: SQL } = {},
): Statement {
  return sql`INSERT INTO flag_activity (${FLAG_ACTIVITY_COLUMNS})
    SELECT ${f.id}, ${f.typeId}, ${f.bugId}, ${f.attachmentId}, ${status}, ${setterId}, ${f.requesteeId},
      ${bugChangedAt(sql`${f.bugId}`)} FROM ${from} ORDER BY ${f.id}`
}
