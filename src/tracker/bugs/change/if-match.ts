import type { Ctx } from '../../../platform/context.ts'
import { abortIf, type Statement } from '../../../platform/db/commit.ts'
import { selectOf } from '../../../platform/db/read-batch.ts'
import { comments, history } from '../../../platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { FIELD_LISTS, findUnknownFields } from '../../../platform/http/operations/unknown-fields.ts'
import { computeTag, listsTag, MAX_TAGGED_LENGTH } from '../../../platform/http/response/etag.ts'
import { bugChanged } from '../model/faults.ts'
import { getBug, getBugAnd } from '../read/get.ts'
import type { ChangeBugInput } from './input.ts'

type Newest = { historyId: number; commentId: number }

/**
 * Compares `If-Match` with the tag of Get Bugs for the same caller, bugs and selection of fields. Returns a guard
 * that aborts the commit when the bugs have changed since then; nothing without the header, which is why a request
 * without it costs no round trip more.
 */
export async function requireMatchingTag(ctx: Ctx, given: ChangeBugInput): Promise<Statement[]> {
  if (ctx.ifMatch === undefined) {
    return []
  }
  for (const list of FIELD_LISTS) {
    ctx.noteUnused(findUnknownFields(getBug, given, list), list)
  }
  const { id_or_alias, ids, include_fields, exclude_fields } = given
  const { answer, more } = await getBugAnd(
    ctx,
    { id_or_alias, ids, include_fields, exclude_fields },
    selectOf(
      {
        historyId: sql<number>`(SELECT coalesce(max(${history.id}), 0) FROM history)`,
        commentId: sql<number>`(SELECT coalesce(max(${comments.id}), 0) FROM comments)`,
      },
      sql``,
    ),
  )
  if (answer instanceof Response) {
    await answer.body?.cancel()
    throw fault(bugChanged)
  }
  const text = JSON.stringify(answer)
  const tag = computeTag(text, undefined, ctx.env.SECRETS_KEY)
  if (text.length > MAX_TAGGED_LENGTH || !listsTag(ctx.ifMatch, tag)) {
    throw fault(bugChanged)
  }
  const [newest = { historyId: 0, commentId: 0 }] = more ?? []
  return [
    abortIfNewer(
      answer.bugs.map(({ id }) => Number(id)),
      newest,
    ),
  ]
}

/** IDs follow the order of commits, so that the newest rows of the tables are few and found by them. */
function abortIfNewer(bugIds: readonly number[], { historyId, commentId }: Newest): Statement {
  const ids = jsonList(bugIds)
  return abortIf(sql`EXISTS (SELECT 1 FROM history WHERE ${history.id} > ${historyId} AND +${history.bugId} IN ${ids})
    OR EXISTS (SELECT 1 FROM comments WHERE ${comments.id} > ${commentId} AND +${comments.bugId} IN ${ids})`)
}
