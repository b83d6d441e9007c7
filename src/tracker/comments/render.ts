import { eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import {
  bugsById,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { requiredText, text } from '../../platform/http/operations/shapes.ts'
import { parseComment } from '../../platform/lib/markdown/markdown.ts'
import type { LinkTargets } from '../../platform/lib/markdown/markdown-html.ts'
import { pick } from '../../platform/lib/pick.ts'
import { cleanBody, lengthOf } from '../../platform/lib/text.ts'
import { commentTooLong } from './faults.ts'
import { MAX_COMMENT_LENGTH } from './plan.ts'

const v = aliasColumns(fieldValues, 'v')

/** Characters of a text by somebody without an account, because to parse it costs everybody else. */
const MAX_ANONYMOUS_LENGTH = 10_000

/**
 * Renders a text as safe HTML, as if it were a comment on the bug `id`. Hidden bugs and attachments look
 * like missing ones.
 */
export const renderComment = operation(
  {
    method: 'POST',
    path: '/bug/comment/render',
    summary: 'Show a text as it would look as a comment',
    reference: 'comments.md#render-a-text',
    input: z.object({ text: requiredText(), id: text() }),
    output: z.strictObject({ html: z.string() }),
    faults: [...bugAccessFaults, commentTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller, settings, baseUrl } = ctx
    const body = cleanBody(input.text)
    const most = caller.kind === 'anonymous' ? MAX_ANONYMOUS_LENGTH : MAX_COMMENT_LENGTH
    if (lengthOf(body) > most) {
      throw fault(commentTooLong, { most })
    }
    const refs = input.id === undefined ? [] : parseBugRefs(input.id)
    const prose = await parseComment(body, {
      baseUrl,
      isOnBug: refs.length > 0,
      isMarkdown: settings.USE_MARKDOWN,
    })
    const { bugIds, attachmentIds } = prose
    const read = await readBatch(ctx, {
      resolved: refs.length === 0 ? undefined : resolveBugs(caller, refs),
      bugs: bugIds.length === 0 ? undefined : selectLinkedBugs(caller, bugIds),
      attachments:
        attachmentIds.length === 0 ? undefined : selectLinkedAttachments(caller, attachmentIds),
    })
    const [bugId = null] = requireVisibleBugs(caller, refs, read.resolved ?? [])
    const links: LinkTargets = {
      bugId,
      bugs: new Map((read.bugs ?? []).map((bug) => [bug.id, bug])),
      attachments: new Map((read.attachments ?? []).map((one) => [one.id, one])),
    }
    return { html: prose.toHtml(links) }
  },
)

function selectLinkedBugs(caller: Caller, ids: readonly number[]) {
  const value = (shown: SQL, column: SQLiteColumn) =>
    sql`(SELECT ${shown} FROM field_values v WHERE ${v.id} = ${column})`
  return db
    .select({
      id: bugs.id,
      summary: bugs.summary,
      status: sql<string>`${value(v.name, bugs.statusId)}`.as('status'),
      resolution: sql<string>`${value(v.name, bugs.resolutionId)}`.as('resolution'),
      isOpen: sql<boolean>`${value(v.isOpen, bugs.statusId)}`.mapWith(Boolean).as('is_open'),
    })
    .from(bugs)
    .where(bugsById(caller, ids).condition)
}

function selectLinkedAttachments(caller: Caller, ids: readonly number[]) {
  return db
    .select(pick(attachments, 'id', 'summary', 'isObsolete'))
    .from(attachments)
    .innerJoin(bugs, eq(bugs.id, attachments.bugId))
    .where(
      sql`${attachments.id} IN ${jsonList(ids)} AND ${visibleAttachmentCondition(caller)} AND ${visibleBugCondition(caller)}`,
    )
}
