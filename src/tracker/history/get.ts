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
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { bugNames, count, datetime, selectionInput } from '../../platform/http/operations/shapes.ts'
import { PagedAnswer } from '../../platform/http/response/paged-answer.ts'
import { aliasOutput, presentAlias } from '../../platform/lib/alias.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { streamJson } from '../../platform/lib/stream.ts'
import { PeoplePresenter } from '../users/people.ts'
import { admitDiscussions } from './discussion-bounds.ts'
import { discussionsTooLong } from './faults.ts'
import { LateValues } from './late-values.ts'
import { historyEntryShape, presentHistory } from './present.ts'
import { selectHistory } from './select.ts'

/**
 * The changes of the bugs of the path and of `ids`, in that order and each once, oldest change first; with
 * `new_since` only newer ones, with `limit` a page of each bug. An answer with long values is streamed.
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
    const loaded = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      aliases: db.select({ id: bugs.id, alias: bugs.alias }).from(bugs).where(set.condition),
      rows: selectHistory(ctx, set, input.new_since),
    })
    const people = new PeoplePresenter(caller, ctx.settings)
    const selection = new Selection(input)
    const aliasOf = new Map(loaded.aliases.map(({ id, alias }) => [id, alias]))
    const rowsOf = Map.groupBy(loaded.rows, (row) => row.bugId)
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
    const next = { offset: String(offset + limit) }
    const answer = { bugs: found }
    const body =
      late === undefined || late.isEmpty
        ? answer
        : streamJson(late.fillPlaceholders(JSON.stringify(answer)), 'history')
    return new PagedAnswer(body, isMore ? { next } : {})
  },
)
