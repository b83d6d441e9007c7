import { type SQL, sql } from 'drizzle-orm'
import { addComments, type NewComment } from '../comments/plan.ts'
import { guard, type Statement } from '../db/commit.ts'
import { jsonRows } from '../db/sql.ts'
import { type Recording, record } from '../history/record.ts'
import { fold } from '../lib/text.ts'
import { announce, noticeOf } from '../notices/announce.ts'
import { bugsWithChangedCc, editCc } from './cc.ts'
import type { Decision } from './change-decide.ts'
import { type Field, WORDS } from './words.ts'

/** What is to be written about the bugs of one request. */
export type Plan = {
  readonly personId: number
  /** Unix seconds. */
  readonly now: number
  readonly isMinor: boolean
  readonly decisions: readonly Decision[]
  readonly comment: NewComment | null
}

/**
 * What a decision about the workflow rests on: who changes one of these makes all decisions stale that
 * were made on the state before. Any other field stands for itself. What a change of it removes is read
 * inside the commit, so that many people may set it at once and none has to decide again.
 */
const DECISIVE: readonly Field[] = ['status', 'resolution', 'is_confirmed', 'remaining_time']

/**
 * The commit of an update, in order: notices, history, fields under guard, comment, CC. Nothing when
 * there is nothing to change. Answers the rows of `announce` and `record`.
 */
export function changeStatements(plan: Plan): Statement[] {
  const { personId, now, isMinor, decisions, comment } = plan
  const changing = decisions.filter(({ changes }) => changes.length > 0)
  const ccEdits = decisions.flatMap(({ cc }) => cc ?? [])
  if (changing.length === 0 && ccEdits.length === 0 && comment === null) {
    return []
  }
  const recording = { authorId: personId, noticeOf }
  return [
    ...announce(touchedBugs(plan), { kind: 'changed', authorId: personId, at: now, isMinor }),
    ...recordFields(changing, recording),
    ...(changing.length > 0 ? [updateFields(changing, personId), guard(changing.length)] : []),
    ...(comment === null ? [] : [addComments(idsOf(decisions), comment, personId)]),
    ...(ccEdits.length > 0 ? editCc(ccEdits, recording) : []),
  ]
}

/** CC lists are compared where they stand: the edits may have been made by others in the meantime. */
function touchedBugs({ decisions, comment }: Plan): SQL {
  const known = comment === null ? decisions.filter(({ changes }) => changes.length > 0) : decisions
  const ccEdits = decisions.flatMap(({ cc }) => cc ?? [])
  return ccEdits.length === 0
    ? idsOf(known)
    : sql`${idsOf(known)} UNION ${bugsWithChangedCc(ccEdits)}`
}

function idsOf(decisions: readonly Decision[]): SQL {
  const ids = decisions.map(({ bug }) => bug.id)
  return sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
}

function recordFields(changing: readonly Decision[], recording: Recording): Statement[] {
  const rows = changing.flatMap(({ bug, changes }) =>
    changes.map(({ field, added }) => ({ bugId: bug.id, field, added, folded: fold(added) })),
  )
  return [...Map.groupBy(rows, ({ field }) => field)].map(([field, ofField]) => {
    const { words, folded } = WORDS[field]
    return record(
      {
        field,
        from: sql`${jsonRows(ofField)} JOIN bugs ON bugs.id = r.value ->> 'bugId'`,
        bugId: sql`bugs.id`,
        removed: words,
        removedFolded: folded,
        added: sql`r.value ->> 'added'`,
        addedFolded: sql`r.value ->> 'folded'`,
      },
      recording,
    )
  })
}

/**
 * One update for all bugs; a bug that keeps one of the columns writes what it has. It passes over a bug
 * whose state is not the one that was decided on, that is no longer the caller's to change, or that
 * somebody has given one of the values meanwhile.
 */
function updateFields(changing: readonly Decision[], personId: number): Statement {
  const rows = changing.map(({ bug, changes, isByRole }) => ({
    id: bug.id,
    revision: bug.revision,
    steps: changes.some(({ field }) => DECISIVE.includes(field)) ? 1 : 0,
    isByRole,
    values: Object.fromEntries(changes.map(({ field, value }) => [WORDS[field].column, value])),
    folded: Object.fromEntries(
      changes.flatMap(({ field, folded }) =>
        folded === undefined ? [] : [[`${WORDS[field].column}_fold`, folded]],
      ),
    ),
  }))
  const values = columnsOf(rows, 'values')
  const sets = [...values, ...columnsOf(rows, 'folded')].map(
    ({ column, isKept, value }) =>
      sql`${column} = CASE WHEN ${isKept} THEN bugs.${column} ELSE ${value} END`,
  )
  const differs = values.map(
    ({ column, isKept, value }) => sql`(${isKept} OR bugs.${column} IS NOT ${value})`,
  )
  return sql`UPDATE bugs SET ${sql.join(sets, sql`, `)},
      revision = bugs.revision + (r.value ->> 'steps')
    FROM ${jsonRows(rows)}
    WHERE bugs.id = r.value ->> 'id' AND bugs.revision = r.value ->> 'revision'
      AND (NOT r.value ->> 'isByRole' OR ${personId} IN (bugs.assigned_to_id, bugs.qa_contact_id))
      AND ${sql.join(differs, sql` AND `)}`
}

type Rows = readonly { values: object; folded: object }[]

function columnsOf(rows: Rows, part: 'values' | 'folded') {
  return [...new Set(rows.flatMap((row) => Object.keys(row[part])))].map((name) => {
    const path = sql.raw(`'$.${part}.${name}'`)
    return {
      column: sql.identifier(name),
      isKept: sql`json_type(r.value, ${path}) IS NULL`,
      value: sql`json_extract(r.value, ${path})`,
    }
  })
}
