import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { visiblePersonCondition } from '../../platform/access/people.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { flags, flagTypes } from '../../platform/db/schema/flags.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, sql } from '../../platform/db/sql.ts'
import { fault, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold, foldName } from '../../platform/lib/text.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { userNotAllowedHere } from '../users/faults.ts'
import { PeoplePresenter, userDetailShape } from '../users/people.ts'

const s = aliasColumns(users, 's')
const r = aliasColumns(users, 'r')
const state = aliasColumns(fieldValues, 'state')
const outcome = aliasColumns(fieldValues, 'outcome')

const requestShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  type_id: z.int(),
  creation_date: z.iso.datetime(),
  setter: userDetailShape,
  requestee: userDetailShape.optional(),
  bug_id: z.int(),
  attachment_id: z.int().nullable(),
  summary: z.string(),
  status: z.string(),
  resolution: z.string(),
  is_open: z.boolean(),
  product: z.string(),
  component: z.string(),
})

export type FlagRequest = z.output<typeof requestShape>

/** Requests in one answer, and those that are looked at for it. */
const MAX_LISTED = 500
const MAX_SCANNED = 5000

const listRequestsInput = z.object({
  requestee: text(),
  setter: text(),
  type: text(),
  product: text(),
  component: text(),
  ...pageInput,
  ...selectionInput,
})

type Input = z.output<typeof listRequestsInput>

/** Flags with a question that nobody has answered, the newest first, as far as the caller sees what they are about. */
export const listFlagRequests = operation(
  {
    method: 'GET',
    path: '/flag/requests',
    summary: 'List flags that wait for an answer',
    reference: 'flags.md#list-requests',
    input: listRequestsInput,
    output: z.strictObject({ requests: z.array(requestShape.partial()) }),
    faults: [offsetWithoutLimit, userNotAllowedHere],
    requires: anyone,
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    const page = pageOfList(input, MAX_LISTED)
    const people = {
      requestee: personOf(ctx, input.requestee),
      setter: personOf(ctx, input.setter),
    }
    const { rows, requestee, setter } = await readBatch(ctx, {
      rows: selectRequests(ctx, input, { ...people, ...page }),
      requestee: people.requestee && selectPerson(people.requestee),
      setter: people.setter && selectPerson(people.setter),
    })
    assertKnown('requestee', input.requestee, requestee)
    assertKnown('setter', input.setter, setter)
    const selection = new Selection(input)
    const presenter = new PeoplePresenter(ctx.caller, ctx.settings)
    return {
      requests: rows.map(({ setter: set, requestee: asked, createdAt, ...row }) =>
        selection.prune({
          ...row,
          creation_date: toDatetime(createdAt),
          setter: presenter.presentDetail(JSON.parse(set)),
          ...(asked !== null && { requestee: presenter.presentDetail(JSON.parse(asked)) }),
        }),
      ),
    }
  }),
)

/** The condition of the account with a login, as far as the caller may know it; absent where nobody is named. */
function personOf({ caller, settings }: Ctx, login: string | undefined): SQL | undefined {
  const folded = fold(login?.trim() ?? '')
  return folded === ''
    ? undefined
    : sql`${users.loginFold} = ${folded}
        AND ${visiblePersonCondition(caller, settings.USE_VISIBILITY_GROUPS, sql`${users.id}`)}`
}

function selectPerson(condition: SQL) {
  return db.select({ id: users.id }).from(users).where(condition)
}

function assertKnown(
  field: string,
  login: string | undefined,
  rows: readonly unknown[] | undefined,
): void {
  if (rows?.length === 0) {
    throw fault(userNotAllowedHere, { field, login: login ?? '' })
  }
}

type Sought = ReturnType<typeof pageOfList> & {
  readonly requestee: SQL | undefined
  readonly setter: SQL | undefined
}

function selectRequests(
  { caller }: Ctx,
  { type = '', product = '', component = '' }: Input,
  { requestee, setter, limit, offset }: Sought,
) {
  const idOf = (person: SQL) => sql`(SELECT ${users.id} FROM users WHERE ${person})`
  const ofFlag = [
    ...(requestee ? [sql`${flags.requesteeId} = ${idOf(requestee)}`] : []),
    ...(setter ? [sql`${flags.setterId} = ${idOf(setter)}`] : []),
    ...(type.trim() === ''
      ? []
      : [
          sql`${flags.typeId} IN (SELECT ${flagTypes.id} FROM flag_types
          WHERE ${flagTypes.name} = ${type.trim()})`,
        ]),
  ]
  const ofPlace = [
    ...(product.trim() === '' ? [] : [sql`${products.nameFold} = ${foldName(product)}`]),
    ...(component.trim() === '' ? [] : [sql`${components.nameFold} = ${foldName(component)}`]),
  ]
  // the index has all that is asked of flags, and only those that wait
  const waiting = sql`SELECT ${flags.id} AS flag_id FROM flags INDEXED BY flags_pending
    WHERE ${flags.status} = '?' AND ${allOf(ofFlag)} ORDER BY ${flags.id} DESC LIMIT ${MAX_SCANNED}`
  return db
    .select({
      id: flags.id,
      name: flagTypes.name,
      type_id: flags.typeId,
      createdAt: flags.createdAt,
      setter: jsonPerson(s).as('setter'),
      requestee: sql<string | null>`CASE WHEN ${r.id} IS NOT NULL THEN ${jsonPerson(r)} END`.as(
        'requestee',
      ),
      bug_id: flags.bugId,
      attachment_id: flags.attachmentId,
      summary: bugs.summary,
      status: sql<string>`${state.name}`.as('bug_status'),
      resolution: sql<string>`${outcome.name}`.as('bug_resolution'),
      is_open: sql<boolean>`${state.isOpen}`.mapWith(Boolean).as('is_open'),
      product: sql<string>`${products.name}`.as('product_name'),
      component: sql<string>`${components.name}`.as('component_name'),
    })
    .from(flags)
    .innerJoin(flagTypes, sql`${flagTypes.id} = ${flags.typeId}`)
    .innerJoin(bugs, sql`${bugs.id} = ${flags.bugId}`)
    .innerJoin(products, sql`${products.id} = ${bugs.productId}`)
    .innerJoin(components, sql`${components.id} = ${bugs.componentId}`)
    .innerJoin(sql`field_values state`, sql`${state.id} = ${bugs.statusId}`)
    .innerJoin(sql`field_values outcome`, sql`${outcome.id} = ${bugs.resolutionId}`)
    .innerJoin(sql`users s`, sql`${s.id} = ${flags.setterId}`)
    .leftJoin(sql`users r`, sql`${r.id} = ${flags.requesteeId}`)
    .where(
      sql`${flags.id} IN (SELECT flag_id FROM (${waiting})) AND ${allOf(ofPlace)}
        AND ${visibleBugCondition(caller)} AND (${flags.attachmentId} IS NULL OR EXISTS (
          SELECT 1 FROM attachments WHERE ${attachments.id} = ${flags.attachmentId}
            AND ${visibleAttachmentCondition(caller)}))`,
    )
    .orderBy(sql`${flags.id} DESC`)
    .limit(limit)
    .offset(offset)
}

function jsonPerson(person: typeof s): SQL<string> {
  return sql<string>`json_object('id', ${person.id}, 'login', ${person.login},
    'realName', ${person.realName}, 'nick', ${person.nick})`
}
