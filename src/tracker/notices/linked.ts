import type { Person } from '../../platform/access/caller.ts'
import { bugVisibleToCondition, isAttachmentVisibleTo } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { db, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import type { ParsedComment } from '../../platform/lib/markdown/markdown.ts'
import type { LinkTargets } from '../../platform/lib/markdown/markdown-html.ts'
import { selectLinkedAttachments, selectLinkedBugs } from '../history/link-targets.ts'

/** What the comments of a mail refer to, as far as its reader sees it. */
export type Targets = Pick<LinkTargets, 'bugs' | 'attachments'>

/** The people who get the same comments as HTML, and these. */
export type HtmlMailing = {
  readonly readers: readonly Person[]
  readonly prose: readonly ParsedComment[]
}

/** Readers times references whose visibility is read at once, in a fifth of a second; further ones stay text. */
const MAX_PAIRS = 20_000

/**
 * Reads what comments refer to, in a round trip where they refer to anything, and returns who sees what of it. A bug
 * that nobody has asked about for a reader is none that the reader sees.
 */
export async function loadTargets(
  ctx: Ctx,
  mailings: readonly HtmlMailing[],
): Promise<(reader: Person, prose: ParsedComment) => Targets> {
  // without an address of the service, links would lead nowhere
  const asked = ctx.baseUrl === '' ? [] : limitPairs(mailings)
  if (asked.length === 0) {
    return () => ({ bugs: new Map(), attachments: new Map() })
  }
  const listOf = (kind: 'bugIds' | 'attachmentIds') =>
    jsonList([...new Set(asked.flatMap((one) => one[kind]))])
  const read = await readBatch(ctx, {
    bugs: selectLinkedBugs(sql`${bugs.id} IN ${listOf('bugIds')}`),
    attachments: selectLinkedAttachments(sql`${attachments.id} IN ${listOf('attachmentIds')}`),
    visible: selectVisible(asked),
  })
  const [bugOf, attachmentOf] = [
    new Map(read.bugs.map((bug) => [bug.id, bug])),
    new Map(read.attachments.map((one) => [one.id, one])),
  ]
  const visible = new Set(read.visible.map(({ personId, bugId }) => `${personId}:${bugId}`))
  return (reader, { bugIds, attachmentIds }) => {
    const seesBug = (id: number) => visible.has(`${reader.id}:${id}`)
    const shown = attachmentIds
      .flatMap((id) => attachmentOf.get(id) ?? [])
      .filter((one) => seesBug(one.bugId) && isAttachmentVisibleTo(reader, one))
    return {
      bugs: new Map(
        bugIds
          .filter(seesBug)
          .flatMap((id) => bugOf.get(id) ?? [])
          .map((bug) => [bug.id, bug]),
      ),
      attachments: new Map(shown.map((one) => [one.id, one])),
    }
  }
}

type Asked = {
  readonly readerIds: readonly number[]
  readonly bugIds: readonly number[]
  readonly attachmentIds: readonly number[]
}

function limitPairs(mailings: readonly HtmlMailing[]): Asked[] {
  let left = MAX_PAIRS
  return mailings.flatMap(({ readers, prose }) => {
    if (readers.length === 0) {
      return []
    }
    const take = (ids: readonly number[]) => {
      const taken = [...new Set(ids)].slice(0, Math.floor(left / readers.length))
      left -= taken.length * readers.length
      return taken
    }
    const bugIds = take(prose.flatMap((one) => one.bugIds))
    const attachmentIds = take(prose.flatMap((one) => one.attachmentIds))
    return bugIds.length + attachmentIds.length === 0
      ? []
      : [{ readerIds: readers.map(({ id }) => id), bugIds, attachmentIds }]
  })
}

/** Selects the readers of each mailing with the bugs of its references that they see. */
function selectVisible(asked: readonly Asked[]) {
  return db
    .select({
      personId: sql<number>`reader.value`.as('person_id'),
      bugId: sql<number>`${bugs.id}`.as('visible_bug_id'),
    })
    .from(
      sql`${jsonRows(asked)}
        CROSS JOIN bugs ON ${bugs.id} IN (SELECT value FROM json_each(r.value -> 'bugIds')
          UNION SELECT ${attachments.bugId} FROM attachments
            WHERE ${attachments.id} IN (SELECT value FROM json_each(r.value -> 'attachmentIds')))
        CROSS JOIN json_each(r.value -> 'readerIds') reader`,
    )
    .where(bugVisibleToCondition(sql`reader.value`))
}
