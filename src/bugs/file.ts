import * as z from 'zod'
import type { Person } from '../access/caller.ts'
import { requireLogin } from '../access/rights.ts'
import { addComments, newestComments } from '../comments/plan.ts'
import { giveTags } from '../comments/tagging.ts'
import type { Ctx } from '../context.ts'
import { commit, type Statement, unless, untilFresh } from '../db/commit.ts'
import { insertInto } from '../db/insert.ts'
import { bugs } from '../db/schema/bugs.ts'
import { sql } from '../db/sql.ts'
import { flagStatements } from '../flags/write.ts'
import { announce, announced, noticeOf, nudge } from '../notices/announce.ts'
import { editStatements, FILED, touchedBy } from './edits.ts'
import { decideNewBug, type NewBug } from './file-decide.ts'
import { type FileBugInput, refuseUnknownKeys } from './file-input.ts'
import { loadForFiling } from './file-load.ts'
import { underApiNames } from './spellings.ts'

export const fileBugOutput = z.strictObject({ id: z.int() })

/**
 * POST /bug: files a bug with its description, in one commit with the notice of it. Contract "Bugs",
 * Create Bug, with the faults of its error table.
 */
export async function fileBug(ctx: Ctx, given: FileBugInput) {
  const input = underApiNames(given)
  const person = requireLogin(ctx.caller)
  refuseUnknownKeys(input)
  return untilFresh(ctx.door, async (door) => {
    const known = await loadForFiling(ctx, person, door, input)
    const bug = decideNewBug(person, ctx, input, known)
    const rows = await commit(door, statements(bug, person, ctx.now))
    const notices = announced(rows)
    nudge(ctx, notices)
    return { id: Number(notices[0]?.bugId) }
  })
}

const insertBug = insertInto(bugs)

function statements(bug: NewBug, person: Person, now: number): Statement[] {
  const created = sql`SELECT max(id) AS bug_id FROM bugs`
  const createdInTime = sql`SELECT ${unless(isOutdated(bug.place), sql`max(id)`)} AS bug_id FROM bugs`
  const members = (table: string, column: string, ids: readonly number[]) =>
    ids.length === 0
      ? []
      : [
          sql`INSERT INTO ${sql.raw(table)} (bug_id, ${sql.raw(column)})
            SELECT (${created}), value FROM json_each(${JSON.stringify(ids)})`,
        ]
  return [
    insertBug(bug.row),
    ...announce(createdInTime, { kind: 'created', authorId: person.id, at: now, isMinor: false }),
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
    ...announce(others, { kind: 'changed', authorId: person.id, at: now, isMinor: false }),
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
