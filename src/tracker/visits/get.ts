import { desc, eq } from 'drizzle-orm'
import * as z from 'zod'
import {
  type BugSet,
  bugsNamed,
  bugsWhere,
  parseBugRefs,
  resolveBugs,
  separateVisibleBugs,
} from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { visits } from '../../platform/db/schema/visits.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { alsoAt, loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { bugNames, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { visitRetentionStart } from './delete-old.ts'
import { presentVisit, visitShape } from './shapes.ts'

const getVisitsInput = z.object({ ids: bugNames(), ...selectionInput })

type Input = z.output<typeof getVisitsInput> & { id?: string }

const MAX_LISTED_VISITS = 20

/**
 * When the caller last visited the bugs of the path and of `ids`, in that order, or else the 20 bugs
 * visited last, newest first. Bugs are left out that are hidden, that do not exist, or that have no visit
 * within the retention period.
 */
export const getVisits = operation(
  {
    method: 'GET',
    path: '/bug_user_last_visit',
    summary: 'Read which bugs the caller has visited last',
    reference: 'visits.md#list-visits',
    input: getVisitsInput,
    output: z.array(visitShape),
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input: Input) => {
    const { caller } = ctx
    const selection = new Selection(input)
    const refs =
      input.id === undefined
        ? parseBugRefs('', input.ids).slice(1)
        : parseBugRefs(input.id, input.ids)
    if (refs.length === 0) {
      const { newest } = await readBatch(ctx, {
        newest: selectVisits(ctx, caller, bugsWhere(caller, []))
          .orderBy(desc(visits.visitedAt), desc(visits.bugId))
          .limit(MAX_LISTED_VISITS),
      })
      return newest.map(({ id, at }) => selection.prune(presentVisit(id, at)))
    }
    const { resolved, visitRows } = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      visitRows: selectVisits(ctx, caller, bugsNamed(caller, refs)),
    })
    const visitTimes = new Map(visitRows.map(({ id, at }) => [id, at]))
    return separateVisibleBugs(caller, refs, resolved).ids.flatMap((id) => {
      const at = visitTimes.get(id)
      return at === undefined ? [] : [selection.prune(presentVisit(id, at))]
    })
  },
)

export const getVisit = alsoAt(getVisits, {
  path: '/bug_user_last_visit/:id',
  summary: 'Read when the caller last visited bugs',
  input: getVisitsInput.extend({ id: z.string() }),
})

function selectVisits(ctx: Ctx, caller: Person, set: BugSet) {
  return db
    .select({ id: visits.bugId, at: visits.visitedAt })
    .from(visits)
    .innerJoin(bugs, eq(bugs.id, visits.bugId))
    .where(
      sql`${visits.userId} = ${caller.id} AND ${visits.visitedAt} >= ${visitRetentionStart(ctx)}
        AND ${set.condition}`,
    )
}
