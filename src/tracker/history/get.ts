import * as z from 'zod'
import {
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { db } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import {
  bugNames,
  count,
  datetime,
  selectionInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { PagedAnswer } from '../../platform/http/response/paged-answer.ts'
import { aliasOutput, presentAlias } from '../../platform/lib/alias.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { streamJson } from '../../platform/lib/stream.ts'
import { countSender } from '../../platform/load/readers.ts'
import { PeoplePresenter } from '../users/people.ts'
import { admitDiscussions, admitLength } from './discussion-bounds.ts'
import { discussionsTooLong } from './faults.ts'
import { LateValues } from './late-values.ts'
import { type HistoryPage, isFromEnd, parsePosition, writePosition } from './position.ts'
import { type HistoryRow, historyEntryShape, presentHistory } from './present.ts'
import { selectHistory } from './select.ts'

/**
 * The changes of the bugs of the path and of `ids`, in that order and each once, oldest change first; with
 * `new_since` only newer ones, with `limit` a page of each bug. With `newest`, `before` or `from` a page of one bug, of
 * which no row beyond its end is read. An answer with long values is streamed.
 */
export const getBugHistory = operation(
  {
    method: 'GET',
    path: '/bug/:id_or_alias/history',
    summary: 'Read the history of bugs',
    reference: 'history.md#get-the-history-of-bugs',
    input: z.object({
      id_or_alias: z.string(),
      ids: bugNames(),
      new_since: datetime(),
      newest: count(),
      before: text(),
      from: text(),
      limit: count(),
      offset: count(),
      ...selectionInput,
    }),
    output: z.strictObject({
      bugs: z.array(
        z
          .strictObject({
            id: z.int(),
            alias: aliasOutput,
            history: z.array(historyEntryShape),
          })
          .partial(),
      ),
    }),
    faults: [...bugAccessFaults, discussionsTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseBugRefs(input.id_or_alias, input.ids)
    admitDiscussions(ctx, refs.length)
    const set = bugsNamed(caller, refs)
    const page = pageOf(input, refs.length)
    const selection = new Selection(input)
    const loaded = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      aliases: selection.includes('alias')
        ? db.select({ id: bugs.id, alias: bugs.alias }).from(bugs).where(set.condition)
        : undefined,
      rows: selectHistory(ctx, set, { newSince: input.new_since, ...(page && { page }) }),
    })
    const people = new PeoplePresenter(caller, ctx.settings)
    const aliasOf = new Map((loaded.aliases ?? []).map(({ id, alias }) => [id, alias]))
    const { rows, next: behind } = takePage(loaded.rows, page)
    const rowsOf = Map.groupBy(rows, (row) => row.bugId)
    const { offset = 0 } = input
    const limit = input.limit || Number.POSITIVE_INFINITY
    const late = ctx.shortensValues ? undefined : new LateValues(ctx)
    let isMore = false
    const found = requireVisibleBugs(caller, refs, loaded.resolved).map((id) => {
      const changes = presentHistory(rowsOf.get(id) ?? [], people, ctx.baseUrl, late)
      isMore ||= changes.length > offset + limit
      return selection.prune({
        id,
        alias: presentAlias(aliasOf.get(id), ctx.settings.ALIAS_AS_LIST),
        history: changes.slice(offset, offset + limit),
      })
    })
    const next = behind ?? (isMore ? { offset: String(offset + limit) } : undefined)
    const answer = { bugs: found }
    const paging = next === undefined ? {} : { next }
    if (late === undefined || late.isEmpty) {
      return new PagedAnswer(answer, paging)
    }
    const json = JSON.stringify(answer)
    admitLength(ctx, refs.length, [{ bytes: late.sumBytes(json) }])
    const pieces = countSender(late.fillPlaceholders(json))
    return new PagedAnswer(streamJson(pieces, 'history'), paging)
  },
)

type Given = {
  readonly newest?: number | undefined
  readonly before?: string | undefined
  readonly from?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** The page of one bug that is asked for; undefined for all changes, or those that `limit` and `offset` count off. */
function pageOf(
  { newest, before, from, limit, offset }: Given,
  bugCount: number,
): HistoryPage | undefined {
  const name = newest !== undefined ? 'newest' : before ? 'before' : from ? 'from' : undefined
  if (name === undefined) {
    return undefined
  }
  if (limit !== undefined || offset !== undefined) {
    throw invalidParameter(name, "goes without 'limit' and 'offset'")
  }
  if (before && from) {
    throw invalidParameter('before', "goes without 'from'")
  }
  if (bugCount > 1) {
    throw invalidParameter(name, 'goes with one bug')
  }
  return {
    newest,
    ...(before && { before: parsePosition('before', before) }),
    ...(from && { from: parsePosition('from', from) }),
  }
}

/** Rows oldest first, and what the page behind this one, older or newer, has instead of its own place. */
function takePage(read: readonly HistoryRow[], page: HistoryPage | undefined) {
  const { newest = read.length } = page ?? {}
  const shown = read.slice(0, newest)
  const [last, following] = [shown.at(-1), read[newest]]
  const isMore = last !== undefined && following !== undefined
  const place = (): Record<string, string> | undefined => {
    if (!isMore) {
      return undefined
    }
    return isFromEnd(page) ? { before: writePosition(last) } : { from: writePosition(following) }
  }
  return { rows: isFromEnd(page) ? shown.toReversed() : shown, next: place() }
}
