import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { visiblePersonCondition } from '../access/people.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { count, selectionInput, text } from '../http/shapes.ts'
import { isDigits } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'
import { parseDay, parseMoment, toDatetime } from '../lib/time.ts'
import { PeoplePresenter, presentNick } from '../users/people.ts'
import { type ActivityRow, type Chosen, readActivity } from './activity-load.ts'

export const flagActivityInput = z.object({
  limit: count(),
  offset: count(),
  after: text().meta({ type: 'string', format: 'date' }),
  before: text().meta({ type: 'string', format: 'date' }),
  bug_id: count(),
  status: text(),
  ...selectionInput,
})

export const activityOfFlagInput = flagActivityInput.extend({ flag_id: z.string() })
export const activityOfTypeInput = flagActivityInput.extend({ type_id: z.string() })
export const activityOfTypeNameInput = flagActivityInput.extend({ type_name: z.string() })
export const activityOfPersonInput = flagActivityInput.extend({ login: z.string() })

const personShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  real_name: z.string(),
  nick: z.string(),
})

const recordShape = z.strictObject({
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

export const flagActivityOutput = z.array(recordShape.partial())

type Input = z.output<typeof flagActivityInput>

/**
 * GET /review/flag_activity: what happened to flags that the caller sees, oldest first. Contract "Flag
 * activity". Faults 50 for an offset without limit, 52, 53, 56 for a date that is none.
 */
export function flagActivity(ctx: Ctx, input: Input) {
  return answer(ctx, input, { by: 'anything' })
}

/** GET /review/flag_activity/{flag_id}: what happened to one flag. 32000 for what is no ID. */
export function activityOfFlag(ctx: Ctx, input: z.output<typeof activityOfFlagInput>) {
  const condition = sql`flag_activity.flag_id = ${assertWellFormedId('flag_id', input.flag_id)}`
  return answer(ctx, input, { by: 'something', condition })
}

/** GET /review/flag_activity/type_id/{type_id}: of all flags of a type. 32000 for what is no ID. */
export function activityOfType(ctx: Ctx, input: z.output<typeof activityOfTypeInput>) {
  const condition = sql`flag_activity.type_id = ${assertWellFormedId('type_id', input.type_id)}`
  return answer(ctx, input, { by: 'something', condition })
}

/** GET /review/flag_activity/type_name/{type_name}: of all flags of all types of a name. */
export function activityOfTypeName(ctx: Ctx, input: z.output<typeof activityOfTypeNameInput>) {
  return answer(ctx, input, { by: 'type name', name: input.type_name })
}

/** GET /review/flag_activity/setter/{login}: of flags set by somebody. 504 for an unknown login. */
export function activityOfSetter(ctx: Ctx, input: z.output<typeof activityOfPersonInput>) {
  return activityOfPerson(ctx, input, 'setter')
}

/** GET /review/flag_activity/requestee/{login}: of flags asked of somebody. 504 for an unknown login. */
export function activityOfRequestee(ctx: Ctx, input: z.output<typeof activityOfPersonInput>) {
  return activityOfPerson(ctx, input, 'requestee')
}

function activityOfPerson(
  ctx: Ctx,
  input: z.output<typeof activityOfPersonInput>,
  role: 'setter' | 'requestee',
) {
  const isIt = sql`users.login_fold = ${fold(input.login.trim())}
    AND ${visiblePersonCondition(ctx.caller, ctx.settings.USE_VISIBILITY_GROUPS, sql`users.id`)}`
  const condition = sql`flag_activity.${sql.raw(role)}_id = (SELECT users.id FROM users WHERE ${isIt})`
  return answer(
    ctx,
    input,
    { by: 'something', condition },
    { field: role, login: input.login, isIt },
  )
}

async function answer(
  ctx: Ctx,
  input: Input,
  asked: Chosen,
  person?: { field: string; login: string; isIt: SQL },
) {
  const { FLAG_ACTIVITY_MAX: most } = ctx.settings
  if (input.offset !== undefined && input.limit === undefined) {
    throw fault('offsetWithoutLimit')
  }
  const ofBug = input.bug_id === undefined ? [] : [sql`flag_activity.bug_id = ${input.bug_id}`]
  const dates = datesIn(input)
  const { rows, people } = await readBatch(ctx, {
    rows: readActivity(ctx.caller, {
      chosen:
        asked.by === 'anything' && ofBug[0] ? { by: 'something', condition: ofBug[0] } : asked,
      filters: [...ofBug, ...dates, ...statusIn(input.status)],
      isDated: dates.length > 0,
      limit: Math.min(input.limit || most, most),
      offset: input.offset ?? 0,
    }),
    people: person && db.select({ id: users.id }).from(users).where(person.isIt),
  })
  if (person !== undefined && people?.length === 0) {
    throw fault('userNotAllowedHere', person)
  }
  const selection = new Selection(input)
  const shown = new PeoplePresenter(ctx.caller, ctx.settings)
  return rows.map((row) => selection.prune(present(row, shown)))
}

/** The condition that a row has the status asked for; clearings are told to those who ask for them. */
function statusIn(given: string | undefined): SQL[] {
  // a plus that was not escaped arrives as a blank
  const status = given !== undefined && /^ +$/.test(given) ? '+' : (given ?? '').trim()
  if (status === '') {
    return [sql`flag_activity.status <> 'X'`]
  }
  if (status === 'all') {
    return []
  }
  if (!['?', '+', '-', 'X'].includes(status)) {
    throw fault('parameterInvalid', { field: 'status', reason: 'is one of ?, +, -, X and all' })
  }
  return [sql`flag_activity.status = ${status}`]
}

function datesIn({ after, before }: Input): SQL[] {
  return [
    ...(after?.trim() ? [sql`flag_activity.happened_at >= ${momentIn('after', after)}`] : []),
    ...(before?.trim() ? [sql`flag_activity.happened_at < ${momentIn('before', before)}`] : []),
  ]
}

/** The beginning of a day, or a moment. */
function momentIn(field: string, value: string): number {
  const moment = parseMoment(parseDay(value) ?? value)
  if (moment === null) {
    throw fault('dateInvalid', { field, value: value.slice(0, 100) })
  }
  return moment
}

/** An ID that nobody can have is well-formed too. */
function assertWellFormedId(field: string, given: string): number {
  if (!isDigits(given)) {
    throw fault('idMalformed', { field, value: given.slice(0, 100) })
  }
  return Math.min(Number(given), Number.MAX_SAFE_INTEGER)
}

function present(row: ActivityRow, people: PeoplePresenter): z.output<typeof recordShape> {
  const person = (id: number, login: string, realName: string, nick: string | null) => ({
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
      : { requestee: person(requesteeId, requestee, requesteeName ?? '', requesteeNick) }),
    setter: person(row.setterId, row.setter, row.setterName, row.setterNick),
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
