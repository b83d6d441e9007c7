import type { SQL } from 'drizzle-orm'
import { endRemaining, lowerRemaining, recordWork } from '../../comments/hours.ts'
import {
  addComments,
  type NewComment,
  newestCommentOf,
  newestComments,
} from '../../comments/plan.ts'
import { giveTags, type Tag } from '../../comments/tagging.ts'
import { abortUnlessChanged, type Statement } from '../../db/commit.ts'
import { jsonList, jsonRows, sql } from '../../db/sql.ts'
import type { FlagEdits } from '../../flags/plan-edits.ts'
import { changedBugs, flagStatements } from '../../flags/write.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'
import { fold } from '../../lib/text.ts'
import { noticeOf, recordNotice } from '../../notices/record-notice.ts'
import { editCc, editGroups } from '../edits/members.ts'
import { type Edit, editStatements, type ListEdit, touchedBy } from '../edits/statements.ts'
import { type Field, HISTORY_FIELDS } from '../model/history-fields.ts'
import { abortIfChanged } from '../model/preconditions.ts'
import { bugsWithSwitchedComments, type PrivacyEdit, switchPrivacy } from './comment-privacy.ts'
import type { Decision, FieldChange } from './decide.ts'
import {
  recordDuplicateAdded,
  recordDuplicatesRemoved,
  refuseLoop,
  type Unmarking,
} from './duplicate.ts'
import type { Lists } from './lists.ts'

/** What is to be written about the bugs of one request. */
export type Plan = {
  readonly personId: number
  /** Unix seconds. */
  readonly now: number
  readonly isMinor: boolean
  readonly decisions: readonly Decision[]
  readonly comment: NewComment | null
  /** What the comment is tagged with. */
  readonly tags: readonly Tag[]
  readonly lists: Lists
  readonly flags: readonly FlagEdits[]
  /** The comments that become private or public. */
  readonly privacy: readonly PrivacyEdit[]
}

/**
 * What decisions rest on: who changes one of these makes all decisions stale that were made on the state
 * before. Any other field stands for itself. What a change of it removes is read inside the commit, so
 * that many people may set it at once and none has to decide again.
 */
const DECISIVE: readonly Field[] = [
  'status',
  'resolution',
  'is_confirmed',
  'dupe_of',
  'product',
  'component',
]

/**
 * The commit of an update, in order: what it rests on, notices, history, fields under guard, comments,
 * lists, flags, and what is said of other bugs. Nothing when there is nothing to change. Answers the rows of
 * `announce` and `record`.
 */
export function changeStatements(plan: Plan): Statement[] {
  const { personId, now, isMinor, decisions, comment, lists, flags, privacy } = plan
  const changing = decisions.filter(({ changes }) => changes.length > 0)
  const markings = decisions.flatMap(({ marking }) => marking ?? [])
  const edits = editsOf(plan)
  const flagged = changedBugs(flags)
  const asked = [changing, edits, flagged, privacy]
  if (asked.every((list) => list.length === 0) && comment === null) {
    return []
  }
  const recording = { authorId: personId, noticeOf }
  return [
    ...abortIfChanged(decisions.flatMap(({ rests }) => rests)),
    ...markings.map(refuseLoop),
    ...recordNotice(touchedBugs(plan), { kind: 'changed', authorId: personId, at: now, isMinor }),
    ...lists.guards,
    ...recordFields(changing, recording),
    ...recordDuplicatesRemoved(lossesOf(changing), personId, now),
    ...(changing.length > 0
      ? [updateFields(changing, personId), abortUnlessChanged(changing.length)]
      : []),
    ...newComments(plan, recording),
    ...remainingHours(plan, recording),
    ...editStatements(edits, recording),
    ...flagStatements(flags, recording),
    ...(privacy.length > 0 ? switchPrivacy(privacy, recording) : []),
    ...markings.flatMap((marking) => recordDuplicateAdded(marking, recording)),
  ]
}

function editsOf(plan: Plan): ListEdit[] {
  const cc = ccEditsOf(plan)
  const groups = plan.decisions.flatMap((decision) => decision.groups ?? [])
  return [
    ...plan.lists.edits,
    ...(cc.length > 0 ? [editCc(cc)] : []),
    ...(groups.length > 0 ? [editGroups(groups)] : []),
  ]
}

/** The edits of the request, and the reporters of duplicates, who are told of the originals. */
function ccEditsOf({ decisions }: Plan): Edit[] {
  return decisions.flatMap(({ cc, marking }) => [
    ...(cc === null ? [] : [cc]),
    ...(marking === null || marking.ccId === null
      ? []
      : [{ bugId: marking.originalId, add: [marking.ccId], remove: [] }]),
  ])
}

function lossesOf(changing: readonly Decision[]): Unmarking[] {
  return changing.flatMap(({ bug, changes }) =>
    bug.dupeOfId !== null && changes.some(({ field }) => field === 'dupe_of')
      ? [{ bugId: bug.id, originalId: bug.dupeOfId }]
      : [],
  )
}

/** Lists are compared where they stand: the edits may have been made by others in the meantime. */
function touchedBugs(plan: Plan): SQL {
  const { decisions, comment, flags, privacy } = plan
  const known = comment === null ? decisions.filter(({ changes }) => changes.length > 0) : decisions
  const originals = decisions.flatMap(({ marking }) => marking?.originalId ?? [])
  const touched = [
    listOf([...known.map(({ bug }) => bug.id), ...originals, ...changedBugs(flags)]),
    touchedBy(editsOf(plan)),
    ...(privacy.length > 0 ? [bugsWithSwitchedComments(privacy)] : []),
  ]
  return sql.join(touched, sql` UNION `)
}

/** The comment of the request, on a duplicate also saying so, and the hours worked that it brings. */
function newComments(
  { decisions, comment, tags, personId }: Plan,
  recording: HistoryOrigin,
): Statement[] {
  if (comment === null) {
    return []
  }
  const ids = decisions.map(({ bug }) => bug.id)
  const { workTime = 0 } = comment
  const onComment = { ...recording, commentOf: newestCommentOf }
  return [
    addComments(listOf(ids), comment, personId),
    ...giveTags(newestComments(listOf(ids)), tags),
    ...(workTime === 0 ? [] : [recordWork(idIn(ids), workTime, onComment)]),
  ]
}

function remainingHours({ decisions, comment }: Plan, recording: HistoryOrigin): Statement[] {
  const those = (fate: Decision['remaining']) =>
    decisions.filter(({ remaining }) => remaining === fate).map(({ bug }) => bug.id)
  const [ending, falling] = [those('ends'), those('falls')]
  return [
    ...(ending.length === 0 ? [] : endRemaining(idIn(ending), recording)),
    ...(falling.length === 0
      ? []
      : lowerRemaining(idIn(falling), comment?.workTime ?? 0, recording)),
  ]
}

function idIn(ids: readonly number[]): SQL {
  return sql`bugs.id IN ${jsonList(ids)}`
}

function listOf(ids: readonly number[]): SQL {
  return sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
}

/** One statement for each value that a field gets, which is one as a rule: a long text is sent once. */
function recordFields(changing: readonly Decision[], recording: HistoryOrigin): Statement[] {
  const rows = changing.flatMap(({ bug, changes }) =>
    changes.map(({ field, added }) => ({ id: bug.id, field, added })),
  )
  const alike = Map.groupBy(rows, ({ field, added }) => `${field} ${added}`)
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map(({ field, added }) => {
      const { words, folded } = HISTORY_FIELDS[field]
      return recordHistory(
        {
          field,
          from: sql`bugs WHERE bugs.id IN ${jsonList(same.map(({ id }) => id))}`,
          bugId: sql`bugs.id`,
          removed: words,
          removedFolded: folded,
          added: sql`${added}`,
          addedFolded: sql`${fold(added)}`,
        },
        recording,
      )
    }),
  )
}

/**
 * One update for all bugs; a bug that keeps one of the columns writes what it has. It passes over a bug
 * whose state is not the one that was decided on, that is no longer the caller's to change, or that
 * somebody has given one of the values meanwhile.
 */
function updateFields(changing: readonly Decision[], personId: number): Statement {
  const columns = columnsOf(changing)
  const rows = changing.map(({ bug, changes, isByRole }) => ({
    id: bug.id,
    revision: bug.revision,
    steps: changes.some(({ field }) => DECISIVE.includes(field)) ? 1 : 0,
    isByRole,
    cells: Object.fromEntries(
      columns
        .filter(({ cells }) => cells.has(bug.id))
        .map(({ name, cells }) => [name, cells.get(bug.id)]),
    ),
  }))
  const isKept = ({ name }: Column) => sql`json_type(r.value, ${cellOf(name)}) IS NULL`
  const sets = columns.map(
    (column) => sql`${sql.identifier(column.name)} = CASE WHEN ${isKept(column)}
      THEN bugs.${sql.identifier(column.name)} ELSE ${column.value} END`,
  )
  const differs = columns
    .filter(({ isCompanion }) => !isCompanion)
    .map(
      (column) => sql`(${isKept(column)}
        OR bugs.${sql.identifier(column.name)} IS NOT ${column.value})`,
    )
  return sql`UPDATE bugs SET ${sql.join(sets, sql`, `)},
      revision = bugs.revision + (r.value ->> 'steps')
    FROM ${jsonRows(rows)}
    WHERE bugs.id = r.value ->> 'id' AND bugs.revision = r.value ->> 'revision'
      AND (NOT r.value ->> 'isByRole' OR ${personId} IN (bugs.assigned_to_id, bugs.qa_contact_id))
      AND ${sql.join(differs, sql` AND `)}`
}

/** A column that is written. */
type Column = {
  readonly name: string
  /** Whether it is the folded form of another, which alone tells whether anything differs. */
  readonly isCompanion: boolean
  /** What it gets, in SQL over the row of its bug. */
  readonly value: SQL
  /** What the row of a bug has to say of it: the value, unless all bugs get the same. */
  readonly cells: ReadonlyMap<number, FieldChange['value']>
}

function columnsOf(changing: readonly Decision[]): Column[] {
  const cells = changing.flatMap(({ bug, changes }) =>
    changes.flatMap(({ field, value, folded }) => {
      const { column } = HISTORY_FIELDS[field]
      const own = { bugId: bug.id, name: column, value, isCompanion: false }
      return folded === undefined
        ? [own]
        : [own, { bugId: bug.id, name: `${column}_fold`, value: folded, isCompanion: true }]
    }),
  )
  return [...Map.groupBy(cells, ({ name }) => name)].map(([name, own]) => {
    const values = new Set(own.map(({ value }) => value))
    const [shared] = values
    const isShared = values.size === 1
    return {
      name,
      isCompanion: own.some(({ isCompanion }) => isCompanion),
      value: isShared ? sql`${shared}` : sql`json_extract(r.value, ${cellOf(name)})`,
      cells: new Map(own.map(({ bugId, value }) => [bugId, isShared ? 1 : value])),
    }
  })
}

/** Column names are ours, so that the path need not be one of the hundred parameters of a statement. */
function cellOf(name: string): SQL {
  return sql.raw(`'$.cells.${name}'`)
}
