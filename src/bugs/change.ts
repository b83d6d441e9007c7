import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../access/caller.ts'
import { allReachable, bugRef } from '../access/reach.ts'
import { requireLogin } from '../access/rights.ts'
import { acceptedBody, addComments, type NewComment } from '../comments/plan.ts'
import type { Ctx } from '../context.ts'
import { commit, guard, type Statement, untilFresh } from '../db/commit.ts'
import type { Door } from '../db/door.ts'
import { jsonRows } from '../db/sql.ts'
import { recordChanges } from '../history/record.ts'
import { toDatetime } from '../lib/time.ts'
import { announce, noticeOf, nudge } from '../notices/announce.ts'
import { bugsWithChangedCc, type CcEdit, decideCc, editCc } from './cc.ts'
import { commentText, type Decision, decideChange, standingOf } from './change-decide.ts'
import { type ChangeBugInput, refuseUnserved } from './change-input.ts'
import { loadForChange } from './change-load.ts'

const changed = z.strictObject({ removed: z.string(), added: z.string() })

export const changeBugOutput = z.strictObject({
  bugs: z.array(
    z.strictObject({
      id: z.int(),
      alias: z.string().nullable(),
      last_change_time: z.iso.datetime(),
      changes: z.record(z.string(), changed),
    }),
  ),
})

/** What is to be written about the bugs of one request. */
type Plan = {
  readonly personId: number
  readonly now: number
  readonly isMinor: boolean
  readonly decisions: readonly Decision[]
  readonly ccEdits: readonly CcEdit[]
  readonly comment: NewComment | null
}

/**
 * PUT /bug/{id_or_alias}: changes the bugs of the path and of `ids`, all or none, in one commit with
 * history and notice. Contract "Bugs", Update Bug.
 */
export async function changeBugs(ctx: Ctx, input: ChangeBugInput) {
  const person = requireLogin(ctx.caller)
  refuseUnserved(input)
  return untilFresh(ctx.door, async (door) => {
    const plan = await decide(ctx, door, person, input)
    const rows = await commit(door, statements(plan))
    const notices = rows[noticePlace(plan)] ?? []
    nudge(ctx, notices)
    return { bugs: answers(plan, rows, notices.length > 0) }
  })
}

async function decide(ctx: Ctx, door: Door, person: Person, input: ChangeBugInput): Promise<Plan> {
  const refs = [input.id_or_alias, ...(input.ids ?? [])].map(bugRef)
  const current = await loadForChange(ctx, door, refs, input)
  const byId = new Map(current.bugs.map((bug) => [bug.id, bug]))
  const bugs = allReachable(ctx.caller, refs, current.resolved).flatMap((id) => byId.get(id) ?? [])
  return {
    personId: person.id,
    now: ctx.now,
    isMinor: input.minor_update ?? false,
    decisions: bugs.map((bug) =>
      decideChange(person, ctx.settings, input, current, bug, bugs.length),
    ),
    ccEdits:
      input.cc === undefined
        ? []
        : bugs.map((bug) => decideCc(person, input, current, bug, standingOf(person, bug))),
    comment: commentOf(ctx, input),
  }
}

function commentOf({ caller }: Ctx, input: ChangeBugInput): NewComment | null {
  const isPrivate = input.comment?.is_private ?? false
  const body = acceptedBody(caller, commentText(input), isPrivate)
  return body.trim() === ''
    ? null
    : { body, isPrivate, isMarkdown: input.comment?.is_markdown ?? true }
}

/** Bugs whose single-valued fields change. */
function guarded(plan: Plan): Decision[] {
  return plan.decisions.filter(({ changes }) => changes.length > 0)
}

/** The statement that answers the notices stands behind the guarded update, if there is one. */
function noticePlace(plan: Plan): number {
  return guarded(plan).length > 0 ? 2 : 0
}

/**
 * The commit, in order: fields under guard, notices, history, comment, CC. What is told of and touched is
 * found before the CC lists change, by the same question that then changes them.
 */
function statements(plan: Plan): Statement[] {
  const { personId, now, decisions, ccEdits, comment } = plan
  const changing = guarded(plan)
  if (changing.length === 0 && ccEdits.length === 0 && comment === null) {
    return []
  }
  const recording = { authorId: personId, at: now, noticeOf }
  const everyBug = decisions.map(({ bug }) => bug.id)
  const touched = touchedBugs(plan, changing, everyBug)
  const changes = changing.flatMap(({ bug, changes: fields }) =>
    fields.map((field) => ({ bugId: bug.id, ...field })),
  )
  return [
    ...(changing.length > 0 ? [updateFields(changing), guard(changing.length)] : []),
    announce(touched, { kind: 'changed', authorId: personId, at: now, isMinor: plan.isMinor }),
    sql`UPDATE bugs SET changed_at = max(changed_at, ${now}) WHERE id IN (${touched})`,
    ...recordChanges(changes, recording),
    ...(comment === null
      ? []
      : [addComments(idsAsRows(everyBug), comment, { id: personId, at: now })]),
    ...(ccEdits.length > 0 ? editCc(ccEdits, recording) : []),
    sql`UPDATE users SET last_activity_at = ${now} WHERE id = ${personId} AND EXISTS (
      SELECT 1 FROM notices n JOIN (${idsAsRows(everyBug)}) b ON b.bug_id = n.bug_id
      WHERE n.author_id = ${personId} AND n.happened_at = ${now})`,
  ]
}

function touchedBugs(plan: Plan, changing: Decision[], everyBug: number[]): SQL {
  const known = plan.comment === null ? changing.map(({ bug }) => bug.id) : everyBug
  return plan.ccEdits.length === 0
    ? idsAsRows(known)
    : sql`${idsAsRows(known)} UNION ${bugsWithChangedCc(plan.ccEdits)}`
}

function idsAsRows(ids: number[]): SQL {
  return sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
}

/** One update for all bugs; a bug that keeps one of the columns writes what it has. */
function updateFields(changing: readonly Decision[]): Statement {
  const names = [...new Set(changing.flatMap(({ columns }) => Object.keys(columns)))]
  const rows = changing.map(({ bug, columns }) => ({
    id: bug.id,
    revision: bug.revision,
    ...columns,
  }))
  const sets = names.map((name) => {
    const column = sql.identifier(name)
    const path = `$.${name}`
    return sql`${column} = CASE WHEN json_type(r.value, ${path}) IS NULL THEN bugs.${column}
      ELSE json_extract(r.value, ${path}) END`
  })
  return sql`UPDATE bugs SET ${sql.join(sets, sql`, `)}, revision = bugs.revision + 1
    FROM ${jsonRows(rows)}
    WHERE bugs.id = r.value ->> 'id' AND bugs.revision = r.value ->> 'revision'`
}

function answers(plan: Plan, rows: Record<string, unknown>[][], anyChange: boolean) {
  const cc = new Map(
    rows
      .flat()
      .filter((row) => 'removed' in row)
      .map((row) => [row.bug_id, { removed: String(row.removed), added: String(row.added) }]),
  )
  return plan.decisions.map(({ bug, columns, changes }) => {
    const edited = cc.get(bug.id)
    const isChanged =
      anyChange && (changes.length > 0 || edited !== undefined || plan.comment !== null)
    return {
      id: bug.id,
      alias: 'alias' in columns ? (columns.alias as string | null) : bug.alias,
      last_change_time: toDatetime(isChanged ? Math.max(bug.changedAt, plan.now) : bug.changedAt),
      changes: {
        ...Object.fromEntries(
          changes.map(({ field, removed, added }) => [field, { removed, added }]),
        ),
        ...(edited === undefined ? {} : { cc: edited }),
      },
    }
  })
}
