import type { SQL } from 'drizzle-orm'
import { bugsById } from '../../../platform/access/bug-set.ts'
import type { Person } from '../../../platform/access/caller.ts'
import {
  editableProductCondition,
  visibleBugCondition,
} from '../../../platform/access/visibility.ts'
import { abortIf, abortUnlessChanged, type Statement } from '../../../platform/db/commit.ts'
import { bugs as bugsTable } from '../../../platform/db/schema/bugs.ts'
import { products } from '../../../platform/db/schema/products.ts'
import { columnName, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'
import { noticeOf, recordNotice } from '../../notices/record-notice.ts'
import { listHistory, listStatements, touchedBy } from '../edits/statements.ts'
import type { BugDecision, ListEdit, PartName, ReadVersion } from '../model/capability.ts'
import {
  type FieldChange,
  type FieldColumn,
  HISTORY_FIELDS,
  type RecordedField,
} from '../model/history-fields.ts'
import { dependsOnRole } from '../model/standing.ts'
import { LAST_IN_HISTORY } from './capabilities.ts'
import type { ChangeDecision } from './decide.ts'

/**
 * A change of one of these steps the revision of the bug, and makes stale every update of its columns that
 * was decided on the old one. Of any other field the last writer wins: the commit reads the removed value, so
 * that history says over what.
 */
const REVISION_FIELDS: readonly RecordedField[] = [
  'status',
  'resolution',
  'is_confirmed',
  'dupe_of',
  'product',
  'component',
]

export type ChangeParts = ReturnType<typeof buildParts>

/** The parts whose rows are history, in the order in which they are written. */
const HISTORY_PARTS = [
  'fieldHistory',
  'lostDuplicates',
  'workHistory',
  'remainingHours',
  'listHistory',
  'flags',
  'commentPrivacy',
  'originalHistory',
] as const

type Author = { readonly person: Person; readonly now: number; readonly isMinor: boolean }

/** The history among the rows that a commit of `partsOfChange` returned, in the order of writing. */
export function historyOfCommit<Row>(
  rows: Readonly<Partial<Record<(typeof HISTORY_PARTS)[number], readonly Row[]>>>,
): Row[] {
  return HISTORY_PARTS.flatMap((part) => rows[part] ?? [])
}

/**
 * The parts of the commit of an update, in their order: guards, notices, history, fields under guard,
 * comments, lists, flags, and what happens to other bugs. Null when nothing changes.
 */
export function partsOfChange(decision: ChangeDecision, author: Author): ChangeParts | null {
  const edits = editsOf(decision)
  const outcomes = [...decision.outcomes.values()]
  const changing = decision.bugs.filter(({ changes }) => changes.length > 0)
  const touchedIds = [
    ...changing.map(({ bug }) => bug.id),
    ...outcomes.flatMap(({ touchedBugs = [] }) => touchedBugs),
  ]
  const selects = outcomes.flatMap(({ touchedSelect }) => touchedSelect ?? [])
  if (touchedIds.length === 0 && edits.length === 0 && selects.length === 0) {
    return null
  }
  const touched = [selectIds([...new Set(touchedIds)]), touchedBy(edits), ...selects]
  return buildParts(decision, author, {
    changing,
    edits,
    touchedBugs: sql.join(touched, sql` UNION `),
  })
}

type Written = {
  readonly changing: readonly BugDecision[]
  readonly edits: readonly ListEdit[]
  /** A select of `bug_id`. */
  readonly touchedBugs: SQL
}

function buildParts(decision: ChangeDecision, author: Author, written: Written) {
  const { person, now, isMinor } = author
  const { changing, edits, touchedBugs } = written
  const recording = { authorId: person.id, noticeOf }
  const event = {
    kind: 'changed',
    authorId: person.id,
    at: now,
    isMinor: isMinor && decision.bugs.every(({ standing }) => standing.editBugs),
  } as const
  const outcomes = [...decision.outcomes.values()]
  const own = (part: PartName) => outcomes.flatMap(({ parts }) => parts?.[part] ?? [])
  return {
    stillEditable: [abortUnlessEditable(person, decision.bugs)],
    preconditions: abortIfChanged(decision.bugs.flatMap(({ preconditions }) => preconditions)),
    loopGuards: own('loopGuards'),
    notices: recordNotice(touchedBugs, event),
    roles: abortUnlessInRole(person, decision),
    fieldHistory: recordFields(changing, recording),
    lostDuplicates: own('lostDuplicates'),
    fields:
      changing.length > 0
        ? [updateFields(changing, person.id), abortUnlessChanged(changing.length)]
        : [],
    comments: own('comments'),
    workHistory: own('workHistory'),
    remainingHours: own('remainingHours'),
    listHistory: listHistory(edits, recording),
    lists: listStatements(edits),
    flags: own('flags'),
    commentPrivacy: own('commentPrivacy'),
    originalHistory: own('originalHistory'),
    originalComments: own('originalComments'),
    visible: selectVisible(person, decision.bugs),
  } satisfies Record<PartName, readonly Statement[]> & Record<string, readonly Statement[]>
}

/** All edits of lists in the order of history. */
function editsOf({ outcomes }: ChangeDecision): ListEdit[] {
  const ordered = [...outcomes].sort(
    ([one], [other]) => LAST_IN_HISTORY.indexOf(one) - LAST_IN_HISTORY.indexOf(other),
  )
  return ordered.flatMap(([, { edits = [] }]) => edits)
}

/** Fails the commit when a bug has been hidden from the caller, or closed to them, meanwhile. */
function abortUnlessEditable(person: Person, bugs: readonly BugDecision[]): Statement {
  return abortIf(sql`EXISTS (SELECT 1 FROM bugs JOIN products ON ${products.id} = ${bugsTable.productId}
    WHERE ${bugsTable.id} IN ${jsonList(bugs.map(({ bug }) => bug.id))}
      AND NOT (${visibleBugCondition(person)} AND ${editableProductCondition(person)}))`)
}

/**
 * Fails the commit when the caller is not assignee or QA contact any more of a bug whose lists they edit
 * by that role alone; who reported a bug stays its reporter.
 */
function abortUnlessInRole(person: Person, { bugs, outcomes }: ChangeDecision): Statement[] {
  const edited = new Set([...outcomes.values()].flatMap(({ editedBugs = [] }) => editedBugs))
  const ids = bugs
    .filter(({ standing }) => dependsOnRole(standing) && !standing.isReporter)
    .map(({ bug }) => bug.id)
    .filter((id) => edited.has(id))
  return ids.length === 0
    ? []
    : [
        abortIf(sql`EXISTS (SELECT 1 FROM bugs WHERE ${bugsTable.id} IN ${jsonList(ids)}
          AND ${person.id} NOT IN (${bugsTable.assignedToId}, coalesce(${bugsTable.qaContactId}, 0)))`),
      ]
}

/** Reads which of the bugs of other groups than before the caller still sees. */
function selectVisible(person: Person, bugs: readonly BugDecision[]): Statement[] {
  const ids = bugs.filter(({ groups }) => groups !== null).map(({ bug }) => bug.id)
  return ids.length === 0
    ? []
    : [sql`SELECT ${bugsTable.id} FROM bugs WHERE ${bugsById(person, ids).condition}`]
}

function selectIds(ids: readonly number[]): SQL {
  return sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
}

/** One statement for each value that a field gets, which is one as a rule: a long text is sent once. */
function recordFields(changing: readonly BugDecision[], recording: HistoryOrigin): Statement[] {
  const rows = changing.flatMap(({ bug, changes }) =>
    changes.map(({ field, added }) => ({ id: bug.id, field, added })),
  )
  const alike = Map.groupBy(rows, ({ field, added }) => `${field} ${added}`)
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map(({ field, added }) => {
      const { value, folded } = HISTORY_FIELDS[field]
      return recordHistory(
        {
          field,
          from: sql`bugs WHERE ${bugsTable.id} IN ${jsonList(same.map(({ id }) => id))}`,
          bugId: sql`${bugsTable.id}`,
          removed: value,
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
 * One update for all bugs, which keeps the columns that a bug does not change. It skips a bug whose revision
 * stepped, that is no longer the caller's to change, or that got one of the values meanwhile.
 */
function updateFields(changing: readonly BugDecision[], personId: number): Statement {
  const columns = columnsOf(changing)
  const rows = changing.map(({ bug, changes, standing }) => ({
    id: bug.id,
    revision: bug.revision,
    steps: changes.some(({ field }) => REVISION_FIELDS.includes(field)) ? 1 : 0,
    dependsOnRole: dependsOnRole(standing),
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
      ${columnName(bugsTable.revision)} = ${bugsTable.revision} + (r.value ->> 'steps')
    FROM ${jsonRows(rows)}
    WHERE ${bugsTable.id} = r.value ->> 'id' AND ${bugsTable.revision} = r.value ->> 'revision'
      AND (NOT r.value ->> 'dependsOnRole' OR ${personId} IN (${bugsTable.assignedToId}, ${bugsTable.qaContactId}))
      AND ${sql.join(differs, sql` AND `)}`
}

type Column = {
  readonly name: string
  /** Whether it is the folded form of another, which alone decides whether anything differs. */
  readonly isCompanion: boolean
  /** Its new value, in SQL over the row of its bug. */
  readonly value: SQL
  /** The value for each bug, or a mark when all get the same. */
  readonly cells: ReadonlyMap<number, FieldChange['value']>
}

function columnsOf(changing: readonly BugDecision[]): Column[] {
  const cells = changing.flatMap(({ bug, changes }) =>
    changes.flatMap(({ field, value, folded }) => {
      const { column, companion }: FieldColumn = HISTORY_FIELDS[field]
      const own = { bugId: bug.id, name: column.name, value, isCompanion: false }
      return folded === undefined || companion === undefined
        ? [own]
        : [own, { bugId: bug.id, name: companion.name, value: folded, isCompanion: true }]
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

/** Fails the commit unless all rows still have the versions that were read. */
function abortIfChanged(versions: readonly ReadVersion[]): Statement[] {
  const alike = Map.groupBy(versions, ({ column }) => column)
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map((first) => abortIf(hasChanged(first, same))),
  )
}

function hasChanged({ table, column }: ReadVersion, versions: readonly ReadVersion[]): SQL {
  const unique = new Map(versions.map(({ id, number }) => [`${id} ${number}`, { id, number }]))
  return sql`EXISTS (SELECT 1 FROM ${jsonRows([...unique.values()])} WHERE NOT EXISTS (
    SELECT 1 FROM ${table} now
    WHERE now.${columnName(table.id)} = r.value ->> 'id' AND now.${columnName(column)} = r.value ->> 'number'))`
}
