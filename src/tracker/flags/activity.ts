import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { visiblePersonCondition } from '../../platform/access/people.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { flagActivity } from '../../platform/db/schema/flags.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { dateInvalid, fault, idMalformed, invalidParameter } from '../../platform/faults/fault.ts'
import { pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { anyone, type Operation, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { count, selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold } from '../../platform/lib/text.ts'
import { parseDay, parseMoment, toDatetime } from '../../platform/lib/time.ts'
import { userNotAllowedHere } from '../users/faults.ts'
import { PeoplePresenter, presentNick } from '../users/people.ts'
import { type ActivityRow, type ActivityScope, selectActivity } from './activity-load.ts'
import { flagActivityByIdFaults, flagActivityFaults } from './faults.ts'

const flagActivityInput = z.object({
  ...pageInput,
  after: text().meta({ type: 'string', format: 'date' }),
  before: text().meta({ type: 'string', format: 'date' }),
  bug_id: count(),
  status: text(),
  ...selectionInput,
})

const personShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  real_name: z.string(),
  nick: z.string(),
})

const activityShape = z.strictObject({
  id: z.int(),
  flag_id: z.int(),
  bug_id: z.int(),
  attachment_id: z.int().nullable(),
  creation_time: z.iso.datetime(),
  status: z.enum(['?', '+', '-', 'X']),
  requestee: personShape.partial().optional(),
  setter: personShape.partial(),
  type: z
    .strictObject({
      description: z.string(),
      id: z.int(),
      is_active: z.boolean(),
      is_multiplicable: z.boolean(),
      is_requesteeble: z.boolean(),
      name: z.string(),
      type: z.enum(['bug', 'attachment']),
    })
    .partial(),
})

type Input = z.output<typeof flagActivityInput>

type Listing = {
  readonly scope: ActivityScope
  /** The account that the path names, which has to exist for the caller. */
  readonly person?: { readonly field: string; readonly login: string; readonly condition: SQL }
}

/** Lists what happened to flags; `find` says to which, by the parameter in the path. */
function activityAt<Path extends z.ZodRawShape>(
  route: Pick<Operation, 'path' | 'summary' | 'faults'>,
  path: Path,
  find: (input: z.output<z.ZodObject<Path>>, ctx: Ctx) => Listing,
) {
  return operation(
    {
      ...route,
      method: 'GET',
      reference: 'flags.md#list-flag-activity',
      input: flagActivityInput.extend(path),
      output: z.array(activityShape.partial()),
      requires: anyone,
      scope: 'read',
    },
    inReadTurn((ctx, input) => listActivity(ctx, input, find(input as never, ctx))),
  )
}

export const flagActivityOperations: Operation[] = [
  activityAt(
    {
      path: '/review/flag_activity',
      summary: 'Read what happened to flags',
      faults: flagActivityFaults,
    },
    {},
    () => ({ scope: { kind: 'all' } }),
  ),
  activityAt(
    {
      path: '/review/flag_activity/:flag_id',
      summary: 'Read what happened to one flag',
      faults: flagActivityByIdFaults,
    },
    { flag_id: z.string() },
    ({ flag_id: id }) => havingId(flagActivity.flagId, 'flag_id', id),
  ),
  activityAt(
    {
      path: '/review/flag_activity/requestee/:login',
      summary: 'Read what happened to flags asked of somebody',
      faults: flagActivityFaults,
    },
    { login: z.string() },
    ({ login }, ctx) => ofPerson('requestee', login, ctx),
  ),
  activityAt(
    {
      path: '/review/flag_activity/setter/:login',
      summary: 'Read what happened to flags set by somebody',
      faults: flagActivityFaults,
    },
    { login: z.string() },
    ({ login }, ctx) => ofPerson('setter', login, ctx),
  ),
  activityAt(
    {
      path: '/review/flag_activity/type_id/:type_id',
      summary: 'Read what happened to the flags of a type',
      faults: flagActivityByIdFaults,
    },
    { type_id: z.string() },
    ({ type_id: id }) => havingId(flagActivity.typeId, 'type_id', id),
  ),
  activityAt(
    {
      path: '/review/flag_activity/type_name/:type_name{.+}',
      summary: 'Read what happened to the flags of all types of a name',
      faults: flagActivityFaults,
    },
    { type_name: z.string() },
    ({ type_name: name }) => ({ scope: { kind: 'typeName', name } }),
  ),
]

function havingId(column: SQLiteColumn, field: string, text: string): Listing {
  const condition = sql`${column} = ${requireWellFormedId(field, text)}`
  return { scope: { kind: 'condition', condition } }
}

function ofPerson(
  field: 'setter' | 'requestee',
  login: string,
  { caller, settings: { USE_VISIBILITY_GROUPS } }: Ctx,
): Listing {
  const condition = sql`${users.loginFold} = ${fold(login.trim())}
    AND ${visiblePersonCondition(caller, USE_VISIBILITY_GROUPS, sql`${users.id}`)}`
  const ofUser = sql`${flagActivity[`${field}Id`]} = (SELECT ${users.id} FROM users WHERE ${condition})`
  return {
    scope: { kind: 'condition', condition: ofUser },
    person: { field, login, condition },
  }
}

async function listActivity(ctx: Ctx, input: Input, { scope, person }: Listing) {
  const page = pageOfList(input, ctx.settings.FLAG_ACTIVITY_MAX)
  const bugConditions =
    input.bug_id === undefined ? [] : [sql`${flagActivity.bugId} = ${input.bug_id}`]
  const times = timeConditions(input)
  const { rows, people } = await readBatch(ctx, {
    rows: selectActivity(ctx.caller, {
      scope:
        scope.kind === 'all' && bugConditions[0]
          ? { kind: 'condition', condition: bugConditions[0] }
          : scope,
      filters: [...bugConditions, ...times, ...statusConditions(input.status)],
      hasTimeBounds: times.length > 0,
      ...page,
    }),
    people: person && db.select({ id: users.id }).from(users).where(person.condition),
  })
  if (person !== undefined && people?.length === 0) {
    throw fault(userNotAllowedHere, { field: person.field, login: person.login })
  }
  const selection = new Selection(input)
  const presenter = new PeoplePresenter(ctx.caller, ctx.settings)
  return rows.map((row) => selection.prune(presentActivity(row, presenter)))
}

/** Records of cleared flags (X) are left out unless `status` selects them. */
function statusConditions(input: string | undefined): SQL[] {
  // a plus that the client did not escape in the query arrives as a space
  const status = input !== undefined && /^ +$/.test(input) ? '+' : (input ?? '').trim()
  if (status === '') {
    return [sql`${flagActivity.status} <> 'X'`]
  }
  if (status === 'all') {
    return []
  }
  if (!['?', '+', '-', 'X'].includes(status)) {
    throw invalidParameter('status', 'is one of ?, +, -, X and all')
  }
  return [sql`${flagActivity.status} = ${status}`]
}

function timeConditions({ after, before }: Input): SQL[] {
  return [
    ...(after?.trim() ? [sql`${flagActivity.happenedAt} >= ${requireTime('after', after)}`] : []),
    ...(before?.trim() ? [sql`${flagActivity.happenedAt} < ${requireTime('before', before)}`] : []),
  ]
}

/** Unix seconds of a time, or of the beginning of a day. */
function requireTime(field: string, value: string): number {
  const time = parseMoment(parseDay(value) ?? value)
  if (time === null) {
    throw fault(dateInvalid, { field, value: value.slice(0, 100) })
  }
  return time
}

/** A number that is too large for an ID is well-formed too: it matches nothing. */
function requireWellFormedId(field: string, input: string): number {
  if (!isDigits(input)) {
    throw fault(idMalformed, { field, value: input.slice(0, 100) })
  }
  return Math.min(Number(input), Number.MAX_SAFE_INTEGER)
}

function presentActivity(
  row: ActivityRow,
  people: PeoplePresenter,
): z.output<typeof activityShape> {
  const presentPerson = (id: number, login: string, realName: string, nick: string | null) => ({
    id,
    name: people.presentLogin(login),
    real_name: realName,
    nick: presentNick({ login, nick }),
  })
  const { requesteeId, requestee, requesteeName, requesteeNick } = row
  return {
    id: row.id,
    flag_id: row.flagId,
    bug_id: row.bugId,
    attachment_id: row.attachmentId,
    creation_time: toDatetime(row.happenedAt),
    status: row.status,
    ...(requesteeId === null || requestee === null
      ? {}
      : { requestee: presentPerson(requesteeId, requestee, requesteeName ?? '', requesteeNick) }),
    setter: presentPerson(row.setterId, row.setter, row.setterName, row.setterNick),
    type: {
      description: row.description,
      id: row.typeId,
      is_active: row.isActive,
      is_multiplicable: row.isMultiplicable,
      is_requesteeble: row.isRequesteeble,
      name: row.typeName,
      type: row.target,
    },
  }
}
