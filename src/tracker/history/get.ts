import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  type BugSet,
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { visibleRowConditions } from '../../platform/access/privacy.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { bugNames, count, datetime, selectionInput } from '../../platform/http/operations/shapes.ts'
import { PagedAnswer } from '../../platform/http/response/paged-answer.ts'
import { aliasOutput, presentAlias } from '../../platform/lib/alias.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { PeoplePresenter } from '../users/people.ts'
import { namesBugsCondition } from './links.ts'
import { historyEntryShape, presentHistory } from './present.ts'
import { omitHiddenBugs } from './visibility.ts'

const u = aliasColumns(users, 'u')

/**
 * The changes of the bugs of the path and of `ids`, in that order and each once, oldest change first; with
 * `new_since` only newer ones, with `limit` a page of each bug.
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
    faults: bugAccessFaults,
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseBugRefs(input.id_or_alias, input.ids)
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
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = input
    let isMore = false
    const found = requireVisibleBugs(caller, refs, loaded.resolved).map((id) => {
      const changes = presentHistory(rowsOf.get(id) ?? [], people, ctx.baseUrl)
      isMore ||= changes.length > offset + limit
      return selection.prune({
        id,
        alias: presentAlias(aliasOf.get(id), ctx.settings.ALIAS_AS_LIST),
        history: changes.slice(offset, offset + limit),
      })
    })
    const next = { offset: String(offset + limit) }
    return new PagedAnswer({ bugs: found }, isMore ? { next } : {})
  },
)

/**
 * Selects the history of bugs that is visible to the caller. Bugs hidden from the caller are cut out of `removed` and
 * `added`; a row of which nothing is left has both empty.
 */
export function selectHistory({ caller, baseUrl }: Ctx, set: BugSet, newSince?: number) {
  const sinceConditions = newSince === undefined ? [] : [sql`${history.changedAt} > ${newSince}`]
  const visibleItems = (column: SQL) => sql<string>`CASE WHEN ${namesBugsCondition()}
    THEN ${omitHiddenBugs(caller, baseUrl, column)} ELSE ${column} END`
  return db
    .select({
      ...pick(history, 'id', 'bugId', 'changedAt'),
      author: sql<string>`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${history.authorId})`.as(
        'author',
      ),
      field: history.field,
      removed: visibleItems(sql`${history.removed}`).as('removed_words'),
      added: visibleItems(sql`${history.added}`).as('added_words'),
      attachmentId: history.attachmentId,
    })
    .from(history)
    .where(
      allOf([
        sql`${history.bugId} IN (SELECT ${bugs.id} FROM bugs WHERE ${set.condition})`,
        ...sinceConditions,
        ...visibleRowConditions(caller),
      ]),
    )
    .orderBy(history.bugId, history.changedAt, history.id)
}
