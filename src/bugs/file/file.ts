import * as z from 'zod'
import type { Person } from '../../access/caller.ts'
import { assertLoggedIn } from '../../access/rights.ts'
import { addComments, newestComments } from '../../comments/plan.ts'
import { giveTags } from '../../comments/tagging.ts'
import type { Ctx } from '../../context.ts'
import { commit, retryOnConflict, type Statement, valueUnless } from '../../db/commit.ts'
import { fastInsert } from '../../db/fast-insert.ts'
import { bugs } from '../../db/schema/bugs.ts'
import { sql } from '../../db/sql.ts'
import { flagStatements } from '../../flags/write.ts'
import {
  enqueueDelivery,
  noticeOf,
  recordedNotices,
  recordNotice,
} from '../../notices/record-notice.ts'
import { editStatements, FILED, touchedBy } from '../edits/statements.ts'
import { underApiNames } from '../model/legacy-names.ts'
import { decideNewBug, type NewBug } from './decide.ts'
import { type FileBugInput, refuseUnknownKeys } from './input.ts'
import { loadForFiling } from './load.ts'

export const fileBugOutput = z.strictObject({ id: z.int() })

/**
 * POST /bug: files a bug with its description, in one commit with the notice of it. Contract "Bugs",
 * Create Bug, with the faults of its error table.
 */
export async function fileBug(ctx: Ctx, given: FileBugInput) {
  const input = underApiNames(given)
  const person = assertLoggedIn(ctx.caller)
  refuseUnknownKeys(input)
  return retryOnConflict(ctx.session, async (session) => {
    const known = await loadForFiling(ctx, person, session, input)
    const bug = decideNewBug(person, ctx, input, known)
    const rows = await commit(session, statements(bug, person, ctx.now))
    const notices = recordedNotices(rows)
    enqueueDelivery(ctx, notices)
    return { id: Number(notices[0]?.bugId) }
  })
}

const insertBug = fastInsert(bugs)

function statements(bug: NewBug, person: Person, now: number): Statement[] {
  const created = sql`SELECT max(id) AS bug_id FROM bugs`
  const createdInTime = sql`SELECT ${valueUnless(isOutdated(bug.place), sql`max(id)`)} AS bug_id FROM bugs`
  const members = (table: string, column: string, ids: readonly number[]) =>
    ids.length === 0
      ? []
      : [
          sql`INSERT INTO ${sql.raw(table)} (bug_id, ${sql.raw(column)})
            SELECT (${created}), value FROM json_each(${JSON.stringify(ids)})`,
        ]
  return [
    insertBug(bug.row),
    ...recordNotice(createdInTime, {
      kind: 'created',
      authorId: person.id,
      at: now,
      isMinor: false,
    }),
    ...members('bug_groups', 'group_id', bug.groupIds),
    ...members('bug_cc', 'user_id', bug.ccIds),
    ...members('bug_keywords', 'keyword_id', bug.keywordIds),
    addComments(created, bug.description, person.id),
    ...giveTags(newestComments(created), bug.tags),
    ...flagStatements(bug.flags, { authorId: person.id, noticeOf }),
    ...editsOf(bug, person, now),
  ]
}

/** Bugs at the other end of links are changed by it, and so told of; the new one just begins with them. */
function editsOf({ edits }: NewBug, person: Person, now: number): Statement[] {
  if (edits.length === 0) {
    return []
  }
  const others = sql`SELECT bug_id FROM (${touchedBy(edits)}) WHERE bug_id <> ${FILED}`
  return [
    ...recordNotice(others, { kind: 'changed', authorId: person.id, at: now, isMinor: false }),
    ...editStatements(edits, { authorId: person.id, noticeOf }, FILED),
  ]
}

/** Whether somebody has closed the product, changed who may see its bugs, or the like since it was read. */
function isOutdated({ product, component, version, milestone }: NewBug['place']) {
  const differs = (table: string, { id, revision }: { id: number; revision: number }) =>
    sql`NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE id = ${id} AND revision = ${revision})`
  return sql`${differs('products', product)} OR ${differs('components', component)}
    OR ${differs('versions', version)} OR ${differs('milestones', milestone)}`
}
