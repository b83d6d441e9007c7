import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import type { Person } from '../../../platform/access/caller.ts'
import type { PersonCtx } from '../../../platform/context.ts'
import {
  commit,
  retryOnConflict,
  type Statement,
  valueUnless,
} from '../../../platform/db/commit.ts'
import { answerStatements } from '../../../platform/db/idempotency.ts'
import { bugCc, bugGroups, bugKeywords, bugs } from '../../../platform/db/schema/bugs.ts'
import { components, milestones, products, versions } from '../../../platform/db/schema/products.ts'
import { columnNames, db, sql } from '../../../platform/db/sql.ts'
import { isLargeEdit, runLargeEdit } from '../../../platform/http/operations/large-edits.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { insertCommentsStatement } from '../../comments/plan.ts'
import { tagNewCommentsStatements } from '../../comments/tagging.ts'
import { flagStatements } from '../../flags/write.ts'
import {
  announceNotices,
  noticeOf,
  recordedNotices,
  recordNotice,
} from '../../notices/record-notice.ts'
import { isCustomField } from '../custom-fields/input.ts'
import { namesRelations } from '../edits/relations/relations.ts'
import { FILED, listHistory, listStatements, touchedBy } from '../edits/statements.ts'
import { fileBugFaults } from '../model/faults.ts'
import { findOverruledNames, withApiNames } from '../model/legacy-names.ts'
import { decideNewBug, type NewBug } from './decide.ts'
import { listIgnored } from './ignored.ts'
import { assertKnownKeys, fileBugInput } from './input.ts'
import { loadForFiling } from './load.ts'

/** Files a bug with its description, in one commit with the notice of it. */
export const fileBug = operation(
  {
    method: 'POST',
    path: '/bug',
    makes: '/bug/:id',
    summary: 'File a bug',
    reference: 'bugs.md#file-a-bug',
    input: fileBugInput,
    usesOther: isCustomField,
    output: z.strictObject({ id: z.int() }),
    faults: fileBugFaults,
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, given) => {
    const input = withApiNames(given)
    assertKnownKeys(input)
    ctx.noteUnused(findOverruledNames(given))
    const file = (again: PersonCtx) => fileOne(again, input)
    return isLargeEdit(1, namesRelations(input))
      ? runLargeEdit(ctx, (began) => retryOnConflict(began, file))
      : file(ctx)
  },
)

async function fileOne(ctx: PersonCtx, input: ReturnType<typeof withApiNames>) {
  const person = ctx.caller
  const known = await loadForFiling(ctx, person, input)
  const bug = decideNewBug(person, ctx, input, known)
  ctx.noteUnused(listIgnored(person, ctx.settings, input, known))
  const rows = await commit(ctx, {
    ...partsOfNewBug(bug, person, ctx.now),
    answer: answerStatements(ctx, sql`json_object('id', ${FILED})`),
  })
  const notices = recordedNotices(rows.notices)
  announceNotices(ctx, notices)
  return { id: Number(notices[0]?.bugId) }
}

function partsOfNewBug(bug: NewBug, person: Person, now: number) {
  const authorId = person.id
  const created = sql`SELECT max(${bugs.id}) AS bug_id FROM bugs`
  const createdInTime = sql`SELECT ${valueUnless(isOutdated(bug.place), sql`max(${bugs.id})`)} AS bug_id FROM bugs`
  // the bugs at the other end of links change, and so get notices; the new one just begins with its links
  const others = sql`SELECT bug_id FROM (${touchedBy(bug.edits)}) WHERE bug_id <> ${FILED}`
  const recording = { authorId, noticeOf }
  return {
    bug: db.insert(bugs).values(bug.row),
    notices: recordNotice(createdInTime, { kind: 'created', authorId, at: now, isMinor: false }),
    groups: insertMembers(bugGroups, bugGroups.groupId, bug.groupIds),
    cc: insertMembers(bugCc, bugCc.userId, bug.ccIds),
    keywords: insertMembers(bugKeywords, bugKeywords.keywordId, bug.keywordIds),
    description: [
      insertCommentsStatement(created, bug.description, authorId),
      ...tagNewCommentsStatements(created, bug.tags, authorId),
    ],
    flags: flagStatements(bug.flags, recording),
    noticesOfOthers:
      bug.edits.length === 0
        ? []
        : recordNotice(others, { kind: 'changed', authorId, at: now, isMinor: false }),
    listHistory: listHistory(bug.edits, recording, FILED),
    lists: listStatements(bug.edits),
  }
}

/** Puts the bug that the commit files on the list of a table of pairs. */
function insertMembers(
  table: typeof bugGroups | typeof bugCc | typeof bugKeywords,
  column: SQLiteColumn,
  ids: readonly number[],
): Statement[] {
  return ids.length === 0
    ? []
    : [
        sql`INSERT INTO ${table} (${columnNames(table.bugId, column)})
          SELECT ${FILED}, value FROM json_each(${JSON.stringify(ids)})`,
      ]
}

/** Whether the product was closed, or who sees its bugs changed, since it was read. */
function isOutdated({ product, component, version, milestone }: NewBug['place']) {
  const differs = (
    table: typeof products | typeof components | typeof versions | typeof milestones,
    { id, revision }: { id: number; revision: number },
  ) =>
    sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${id} AND ${table.revision} = ${revision})`
  return sql`${differs(products, product)} OR ${differs(components, component)}
    OR ${differs(versions, version)} OR ${differs(milestones, milestone)}`
}
