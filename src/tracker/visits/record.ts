import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  type BugRef,
  bugsNamed,
  parseBugRefsToWrite,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugCc, bugs } from '../../platform/db/schema/bugs.ts'
import { visits } from '../../platform/db/schema/visits.ts'
import { columnName, columnNames, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { alsoAt, loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { bugNames, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { notInvolved } from './faults.ts'
import { presentVisit, visitShape } from './shapes.ts'

const recordVisitsInput = z.object({ ids: bugNames(), ...selectionInput })

type Input = z.output<typeof recordVisitsInput> & { id?: string }

export const recordVisits = operation(
  {
    method: 'POST',
    path: '/bug_user_last_visit',
    summary: 'Record that the caller is visiting bugs',
    reference: 'visits.md#record-visits',
    input: recordVisitsInput,
    output: z.array(visitShape),
    faults: [...bugAccessFaults, notInvolved],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseVisitedBugs(input)
    const { resolved, involved } = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      involved: selectInvolvedBugs(caller, refs),
    })
    const ids = requireVisibleBugs(caller, refs, resolved)
    const involvedIds = new Set(involved.map(({ id }) => id))
    const uninvolvedId = ids.find((id) => !involvedIds.has(id))
    if (uninvolvedId !== undefined) {
      throw fault(notInvolved, { bug: uninvolvedId })
    }
    await commit(ctx, {
      visits: sql`INSERT INTO visits (${columnNames(visits.userId, visits.bugId, visits.visitedAt)})
      SELECT ${caller.id}, ${bugs.id}, ${ctx.now} FROM bugs WHERE ${bugs.id} IN ${jsonList(ids)}
      ON CONFLICT (${columnNames(visits.userId, visits.bugId)}) DO UPDATE SET ${columnName(visits.visitedAt)} = excluded.${columnName(visits.visitedAt)}`,
    })
    const selection = new Selection(input)
    return ids.map((id) => selection.prune(presentVisit(id, ctx.now)))
  },
)

export const recordVisit = alsoAt(recordVisits, {
  path: '/bug_user_last_visit/:id',
  summary: 'Record that the caller is visiting a bug',
  input: recordVisitsInput.extend({ id: z.string() }),
})

/** Parses the bugs of the path and of `ids`, in that order. */
function parseVisitedBugs({ id, ids = [] }: Input): BugRef[] {
  const texts = ids.flatMap((element) => element.split(',')).filter((name) => name.trim() !== '')
  const [first, ...others] = id === undefined ? texts : [id, ...texts]
  if (first === undefined) {
    throw fault(parameterMissing, { field: 'ids' })
  }
  return parseBugRefsToWrite(first, others)
}

function selectInvolvedBugs(caller: Person, refs: readonly BugRef[]) {
  return db
    .select({ id: bugs.id })
    .from(bugs)
    .where(sql`${bugsNamed(caller, refs).condition} AND ${involvementCondition(caller)}`)
}

function involvementCondition({ id }: Person): SQL {
  return sql`(${id} IN (${bugs.reporterId}, ${bugs.assignedToId}, coalesce(${bugs.qaContactId}, 0))
    OR EXISTS (SELECT 1 FROM bug_cc WHERE ${bugCc.bugId} = ${bugs.id} AND ${bugCc.userId} = ${id}))`
}
