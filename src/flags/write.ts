import type { SQL } from 'drizzle-orm'
import { abortIf, type Statement } from '../db/commit.ts'
import { bugs } from '../db/schema/bugs.ts'
import { jsonList, jsonRows, limitTo, newestId, sql } from '../db/sql.ts'
import { bugChangedAt, type HistoryOrigin, recordHistory } from '../history/record.ts'
import { fold } from '../lib/text.ts'
import type { StandingFlag } from './load.ts'
import { changesFlags, type FlagEdits } from './plan-edits.ts'

/**
 * The commit of what `plan.ts` decided. In the list of statements of a verb it stands behind `announce`,
 * behind what makes or moves bugs and behind what makes attachments: it fails the commit as stale when a
 * bug is not where the decision has it, when a flag there has changed or come since, or when a type has;
 * where a bug moves, also when any flag of it or its attachments has, though none was to change.
 * A bug or attachment 'new' in the edits is the newest one. Bugs in `changedBugs` have to be announced,
 * and an attachment in `changedAttachments` gets the moment of the change from its own room.
 */
export function flagStatements(all: readonly FlagEdits[], recording: HistoryOrigin): Statement[] {
  const edits = all.filter(changesFlags)
  const moved = all.filter(({ settled }) => settled !== null)
  if (edits.length + moved.length === 0) {
    return []
  }
  return [
    abortIf(sql`${isStale(edits)} OR ${hasOthers(moved)}`),
    ...tell(edits, recording),
    ...clear(edits, recording.authorId),
    ...update(edits),
    ...create(edits),
  ]
}

/** The bugs whose flags, or whose attachments' flags, change; new ones are not among them. */
export function changedBugs(edits: readonly FlagEdits[]): number[] {
  const ids = edits.filter(changesFlags).map(({ bug }) => bug.id)
  return [...new Set(ids)].filter((id) => id !== 'new')
}

/** The attachments whose flags change; new ones are not among them. */
export function changedAttachments(edits: readonly FlagEdits[]): number[] {
  const ids = edits.filter(changesFlags).map(({ attachment }) => attachment?.id ?? 'new')
  return [...new Set(ids)].filter((id) => id !== 'new')
}

/**
 * Who is newly asked, bug by bug: they come on its CC list. A verb that edits CC lists adds them to its
 * edits; any other uses `addAskedToCc`.
 */
export function askedOf(
  edits: readonly FlagEdits[],
): { bugId: number | 'new'; userIds: number[] }[] {
  const byBug = Map.groupBy(edits, ({ bug }) => bug.id)
  return [...byBug]
    .map(([bugId, own]) => ({ bugId, userIds: [...new Set(own.flatMap(({ asked }) => asked))] }))
    .filter(({ userIds }) => userIds.length > 0)
}

/** Puts who is newly asked on the CC lists of bugs that exist, and tells it: for `announce`d bugs. */
export function addAskedToCc(edits: readonly FlagEdits[], recording: HistoryOrigin): Statement[] {
  const rows = askedOf(edits).map(({ bugId, userIds }) => [bugId, userIds])
  if (rows.length === 0) {
    return []
  }
  const missing = (column: string) => sql`coalesce((SELECT group_concat(name, ', ' ORDER BY place)
    FROM (SELECT u.${sql.raw(column)} AS name, u.login_fold AS place
      FROM json_each(r.value, '$[1]') a JOIN users u ON u.id = a.value
      WHERE NOT EXISTS (SELECT 1 FROM bug_cc c
        WHERE c.bug_id = r.value ->> 0 AND c.user_id = u.id))), '')`
  return [
    recordHistory(
      {
        field: 'cc',
        from: jsonRows(rows),
        bugId: sql`r.value ->> 0`,
        removed: sql`''`,
        removedFolded: sql`''`,
        added: missing('login'),
        addedFolded: missing('login_fold'),
      },
      recording,
    ),
    sql`INSERT OR IGNORE INTO bug_cc (bug_id, user_id)
      SELECT r.value ->> 0, a.value FROM ${jsonRows(rows)}, json_each(r.value, '$[1]') a`,
  ]
}

/** In each row about flags of something: 0 the bug, null for the new one; 1 the attachment, 0 for the new. */
const BUG = sql`coalesce(r.value ->> 0, ${newestId(bugs)})`
const ATTACHMENT = sql`CASE r.value ->> 1
  WHEN 0 THEN (SELECT max(a.id) FROM attachments a WHERE a.bug_id = ${BUG}) ELSE r.value ->> 1 END`

function placeOf({ bug, attachment }: FlagEdits): [number | null, number | null] {
  const attachmentId = attachment?.id ?? null
  return [bug.id === 'new' ? null : bug.id, attachmentId === 'new' ? 0 : attachmentId]
}

/**
 * Whether a bug, its flags or a type is not as it was decided on. Flags that have come raise the highest
 * ID, those that have gone lower the number, and those that have changed raise the revisions.
 */
function isStale(edits: readonly FlagEdits[]): SQL {
  const types = new Map(
    edits.flatMap((each) => each.types.map(({ id, revision }) => [id, revision])),
  )
  const places = edits.map((each) => [
    ...placeOf(each),
    each.bug.productId,
    each.bug.componentId,
    ...stateOf(each.stood),
  ])
  return sql`EXISTS (SELECT 1 FROM ${jsonRows([...types])} WHERE NOT EXISTS (
      SELECT 1 FROM flag_types t
      WHERE t.id = r.value ->> 0 AND t.revision = r.value ->> 1))
    OR EXISTS (SELECT 1 FROM ${jsonRows(places)} WHERE NOT EXISTS (
      SELECT 1 FROM bugs b WHERE b.id = ${BUG}
        AND b.product_id = r.value ->> 2 AND b.component_id = r.value ->> 3)
      OR (SELECT ${STATE} FROM flags f WHERE f.bug_id = ${BUG} AND f.attachment_id IS ${ATTACHMENT})
        <> json_array(r.value ->> 4, r.value ->> 5, r.value ->> 6))`
}

/** Whether a bug that moves has other flags by now than were settled. */
function hasOthers(moved: readonly FlagEdits[]): SQL {
  const rows = moved.map(({ bug, settled }) => [bug.id, ...stateOf(settled ?? [])])
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(rows)}
    WHERE (SELECT ${STATE} FROM flags f WHERE f.bug_id = r.value ->> 0)
      <> json_array(r.value ->> 1, r.value ->> 2, r.value ->> 3))`
}

/** What tells whether flags are still the same: their number, the highest ID, all revisions. */
function stateOf(flags: readonly StandingFlag[]): [number, number, number] {
  return [
    flags.length,
    Math.max(0, ...flags.map(({ id }) => id)),
    flags.reduce((sum, { revision }) => sum + revision, 0),
  ]
}

const STATE = sql`json_array(count(*), coalesce(max(f.id), 0), coalesce(sum(f.revision), 0))`

/** History tells of bugs and of attachments apart, because what is recorded of a bug is its answer. */
function tell(edits: readonly FlagEdits[], recording: HistoryOrigin): Statement[] {
  const told = edits.filter(({ removed, added }) => removed !== added)
  const rows = (own: readonly FlagEdits[]) =>
    own.map((each) => {
      const { removed, added } = each
      return [...placeOf(each), removed, fold(removed), added, fold(added)]
    })
  return [
    { own: told.filter(({ attachment }) => attachment === null), more: {} },
    {
      own: told.filter(({ attachment }) => attachment !== null),
      more: { attachmentId: ATTACHMENT },
    },
  ].flatMap(({ own, more }) =>
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
              ...more,
            },
            recording,
          ),
        ],
  )
}

function clear(edits: readonly FlagEdits[], authorId: number): Statement[] {
  const ids = edits.flatMap(({ clears }) => clears.map(({ id }) => id))
  const gone = sql`flags f WHERE f.id IN ${jsonList(ids)}`
  return ids.length === 0
    ? []
    : [
        flagActivityOf(gone, { status: sql`'X'`, setterId: sql`${authorId}` }),
        sql`DELETE FROM flags WHERE id IN ${jsonList(ids)}`,
      ]
}

/** A flag that only moves to another type keeps its times, and nobody is told. */
function update(edits: readonly FlagEdits[]): Statement[] {
  const updates = edits.flatMap((each) => each.updates)
  if (updates.length === 0) {
    return []
  }
  const rows = updates.map(({ was, now, isTold }) => [
    was.id,
    now.type.id,
    now.status,
    now.setterId,
    now.requestee?.id ?? null,
    isTold ? 1 : 0,
  ])
  const told = updates.filter(({ isTold }) => isTold).map(({ was }) => was.id)
  return [
    sql`UPDATE flags SET type_id = r.value ->> 1, status = r.value ->> 2, setter_id = r.value ->> 3,
        requestee_id = r.value ->> 4, revision = flags.revision + 1,
        modified_at = CASE r.value ->> 5
          WHEN 1 THEN ${bugChangedAt(sql`flags.bug_id`)} ELSE flags.modified_at END
      FROM ${jsonRows(rows)} WHERE flags.id = r.value ->> 0`,
    ...(told.length === 0 ? [] : [flagActivityOf(sql`flags f WHERE f.id IN ${jsonList(told)}`)]),
  ]
}

/** Flags that a commit has just inserted are the newest ones. */
function create(edits: readonly FlagEdits[]): Statement[] {
  const rows = edits.flatMap((each) =>
    each.creates.map(({ type, status, setterId, requestee }) => [
      ...placeOf(each),
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
    sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, requestee_id,
        created_at, modified_at)
      SELECT t.bug_id, t.attachment_id, t.type_id, t.status, t.setter_id, t.requestee_id,
        ${bugChangedAt(sql`t.bug_id`)}, ${bugChangedAt(sql`t.bug_id`)}
      FROM (SELECT r.key AS place, ${BUG} AS bug_id, ${ATTACHMENT} AS attachment_id,
          r.value ->> 2 AS type_id, r.value ->> 3 AS status, r.value ->> 4 AS setter_id,
          r.value ->> 5 AS requestee_id
        FROM ${jsonRows(rows)}) t ORDER BY t.place`,
    flagActivityOf(sql`(SELECT n.* FROM flags n ORDER BY n.id DESC ${limitTo(rows.length)}) f`),
  ]
}

/**
 * Records what becomes of flags, which `from` reads as `f`, at the moment of their bugs: as they stand,
 * unless told otherwise.
 */
export function flagActivityOf(
  from: SQL,
  { status = sql`f.status`, setterId = sql`f.setter_id` }: { status?: SQL; setterId?: SQL } = {},
): Statement {
  return sql`INSERT INTO flag_activity (flag_id, type_id, bug_id, attachment_id, status, setter_id,
      requestee_id, happened_at)
    SELECT f.id, f.type_id, f.bug_id, f.attachment_id, ${status}, ${setterId}, f.requestee_id,
      ${bugChangedAt(sql`f.bug_id`)} FROM ${from} ORDER BY f.id`
}
