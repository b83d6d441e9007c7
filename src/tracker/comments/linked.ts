import { bugsById } from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { type RowsOf, readBatch } from '../../platform/db/read-batch.ts'
import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import { attachments } from '../../platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { RecentValues } from '../../platform/lib/isolate.ts'
import { type ParsedComment, parseComment } from '../../platform/lib/markdown/markdown.ts'
import type { LinkTargets } from '../../platform/lib/markdown/markdown-html.ts'
import { Pauses } from '../../platform/load/pauses.ts'
import { Turns } from '../../platform/load/turns.ts'
import { selectLinkedAttachments, selectLinkedBugs } from '../history/link-targets.ts'
import { type CommentRow, composeText } from './present.ts'

/** What texts refer to. */
type References = Pick<ParsedComment, 'bugIds' | 'attachmentIds'>

/** Bugs and attachments that the comments of one answer are linked to; further ones stay text. */
const MAX_LINKED = 2000

/** The selects of the bugs and attachments that texts refer to, as far as the caller sees them. */
export function selectLinked(caller: Caller, { bugIds, attachmentIds }: References) {
  return {
    bugs: bugIds.length === 0 ? undefined : selectLinkedBugs(bugsById(caller, bugIds).condition),
    attachments:
      attachmentIds.length === 0
        ? undefined
        : selectLinkedAttachments(
            sql`${attachments.id} IN ${jsonList(attachmentIds)} AND ${visibleAttachmentCondition(caller)} AND ${visibleBugCondition(caller)}`,
          ),
  }
}

type Selects = ReturnType<typeof selectLinked>

/** What `selectLinked` read, for a text on the bug. */
export function linkTargets(
  bugId: number | null,
  read: { readonly [Name in keyof Selects]: RowsOf<Selects[Name]> },
): LinkTargets {
  return {
    bugId,
    bugs: new Map((read.bugs ?? []).map((bug) => [bug.id, bug])),
    attachments: new Map((read.attachments ?? []).map((one) => [one.id, one])),
  }
}

/** A text that refers to nothing has the same HTML for everybody, by all that it depends on. */
const htmlOfTexts = new RecentValues<string>(1000)
/** Characters of a text, and of its HTML; longer ones would take too much memory. */
const [MAX_KEPT_LENGTH, MAX_KEPT_HTML] = [2000, 8000]

/** Characters of several texts that do not wait for the long ones of other answers. */
const MAX_SHORT = 20_000
/** Characters of texts that are parsed before their references are read. */
const LENGTH_TOGETHER = 65_535
/** Characters between two pauses, in which the isolate serves everybody else. */
const LENGTH_AT_ONCE = 16_000

/** What stands between a text and its HTML takes many times its memory. */
const [shortTexts, longTexts] = [new Turns<string>(1, 2), new Turns<string>(1)]

/** Renders texts of so many characters in rounds of those who ask for HTML. */
export function renderInTurn<Html>(
  ctx: Pick<Ctx, 'caller' | 'ip'>,
  length: number,
  render: () => Promise<Html>,
): Promise<Html> {
  return (length <= MAX_SHORT ? shortTexts : longTexts).run(turnOwner(ctx), render)
}

/** Throws a fault when a request asks for the HTML of more than it may, together with what it has asked for before. */
export function assertRenders(ctx: Ctx, bytes: number): void {
  const most = MOST_OF_REQUEST.renderedBytes
  if (take(ctx, 'renderedBytes', bytes) > most) {
    const reason = `asks for the HTML of more than ${most} bytes of comments; read them in pages`
    throw invalidParameter('include_fields', reason)
  }
}

/**
 * The HTML of the texts of comments by the IDs of the comments, as Render shows a text. References are read in one
 * round trip, or in one for each 65,535 characters.
 */
export function renderComments(
  ctx: Ctx,
  rows: readonly CommentRow[],
): Promise<ReadonlyMap<number, string>> {
  return renderInTurn(ctx, sumLengths(rows), () => render(ctx, rows))
}

/** The characters of all texts. */
export function sumLengths(rows: readonly CommentRow[]): number {
  return rows.reduce((sum, { body }) => sum + body.length, 0)
}

async function render(ctx: Ctx, rows: readonly CommentRow[]): Promise<ReadonlyMap<number, string>> {
  const pauses = new Pauses(LENGTH_AT_ONCE)
  const html = new Map<number, string>()
  let linked = 0
  for (const part of splitRows(rows)) {
    const parsed: { row: CommentRow; prose: ParsedComment; key: string | null }[] = []
    for (const row of part) {
      const text = composeText(row)
      const isMarkdown = row.isMarkdown && ctx.settings.USE_MARKDOWN
      const key = JSON.stringify([isMarkdown, ctx.baseUrl, row.bugId, text])
      const known = htmlOfTexts.get(key)
      if (known === undefined) {
        await pauses.pauseBefore(text.length)
        const prose = await parseComment(text, { baseUrl: ctx.baseUrl, isOnBug: true, isMarkdown })
        parsed.push({ row, prose, key: text.length > MAX_KEPT_LENGTH ? null : key })
      } else {
        html.set(row.id, known)
      }
    }
    const idsOf = (kind: keyof References) =>
      [...new Set(parsed.flatMap(({ prose }) => prose[kind]))].slice(0, MAX_LINKED - linked)
    const references = { bugIds: idsOf('bugIds'), attachmentIds: idsOf('attachmentIds') }
    linked += Math.max(references.bugIds.length, references.attachmentIds.length)
    const targets = linkTargets(null, await readBatch(ctx, selectLinked(ctx.caller, references)))
    for (const { row, prose, key } of parsed) {
      await pauses.pauseBefore(row.body.length)
      const shown = prose.toHtml({ ...targets, bugId: row.bugId })
      html.set(row.id, shown)
      const refersToNone = prose.bugIds.length + prose.attachmentIds.length === 0
      if (key !== null && refersToNone && shown.length <= MAX_KEPT_HTML) {
        htmlOfTexts.set(key, shown)
      }
    }
  }
  return html
}

/** Rows whose texts are parsed together; a longer one is alone. */
function splitRows(rows: readonly CommentRow[]): CommentRow[][] {
  const parts: CommentRow[][] = [[]]
  let length = 0
  for (const row of rows) {
    if (length + row.body.length > LENGTH_TOGETHER) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(row)
    length += row.body.length
  }
  return parts
}
