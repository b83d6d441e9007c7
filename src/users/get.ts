import * as z from 'zod'
import { isMember } from '../access/caller.ts'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { fault } from '../faults.ts'
import { assertId } from '../http/assert-id.ts'
import { flag, names, selectionInput, text } from '../http/shapes.ts'
import { isDigits } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'
import { type Asked, findPeople } from './find.ts'
import { People } from './people.ts'
import { presentUser, userShape } from './present.ts'

const MOST_MATCHES = 20
const MOST_STARS = 5

/** Numbers are taken as texts, because who may not use them is told so before what is wrong with them. */
export const getUsersInput = z.object({
  ids: numbers(),
  names: names(),
  match: names(),
  limit: text().meta({ type: 'integer', minimum: 1 }),
  group_ids: numbers(),
  groups: names(),
  /** What some clients call `groups`. */
  group: names(),
  include_disabled: flag(),
  permissive: flag(),
  ...selectionInput,
})

export const getUserInput = getUsersInput.extend({ id_or_name: z.string() })

const faultShape = z.strictObject({
  name: z.string(),
  error: z.literal(true),
  message: z.string(),
  code: z.int(),
})

export const getUsersOutput = z.strictObject({
  users: z.array(userShape),
  faults: z.array(faultShape).optional(),
})

type Input = z.output<typeof getUsersInput> & { id_or_name?: string }
type Question = Asked & {
  readonly namesGiven: readonly string[]
  readonly groupsGiven: readonly string[]
  readonly startsWithId: boolean
}
type Found = {
  readonly [Part in keyof ReturnType<typeof findPeople>]: Awaited<
    ReturnType<typeof findPeople>[Part]
  >
}
type Row = NonNullable<Found['numbered']>[number]

/**
 * GET /user and GET /user/{id_or_name}: the people of the path, of `names`, of `ids` and of `match`, in
 * that order and each once, in one trip; with groups only their members. Contract "Users". Faults: 50
 * when nobody is asked for, 505 and 52, then 51 for a login (listed instead with `permissive`) or a
 * group ID, 804 for a group name, 304 for somebody whom the caller may not see.
 */
export async function getUsers(ctx: Ctx, input: Input) {
  const selection = new Selection(input)
  const question = questionIn(ctx, input)
  const found: Found = await readBatch(
    ctx,
    findPeople(question, {
      caller: ctx.caller,
      byGroups: ctx.settings.USE_VISIBILITY_GROUPS,
      wantsGroups: selection.includes('groups'),
      wantsSaved: selection.includes('saved_searches') || selection.includes('saved_reports'),
    }),
  )
  const faults = unknownNames(question, found)
  if (faults[0] !== undefined && input.permissive !== true) {
    throw faults[0].fault
  }
  refuseGroups(ctx, question, found)
  const view = {
    caller: ctx.caller,
    people: new People(ctx.caller, ctx.settings),
    groups: found.groups ?? [],
    saved: found.saved ?? [],
  }
  const rows = chosen(question, found)
  return {
    users: rows.map((row) => selection.prune(presentUser(row, view))),
    ...(input.permissive === true ? { faults: faults.map(presentFault) } : {}),
  }
}

/** Faults 50, 505 and 52. */
function questionIn(ctx: Ctx, input: Input): Question {
  const path = input.id_or_name?.trim()
  const isId = path !== undefined && isDigits(path)
  if (path === undefined && [input.ids, input.names, input.match].every((list) => !list)) {
    throw fault('parameterMissing', { field: "ids', 'names' or 'match" })
  }
  if (ctx.caller.kind === 'anonymous' && (isId || input.ids || input.match)) {
    throw fault('userIdsNeedLogin')
  }
  const most = ctx.settings.USER_MATCH_LIMIT
  const namesGiven = [...(isId || path === undefined ? [] : [path]), ...(input.names ?? [])]
  const groupsGiven = [...(input.groups ?? []), ...(input.group ?? [])]
  const groupIds = wholeNumbers('group_ids', input.group_ids)
  return {
    startsWithId: isId,
    namesGiven,
    groupsGiven,
    names: namesGiven.map(comparable),
    ids: [...(isId ? [assertId('id_or_name', path)] : []), ...wholeNumbers('ids', input.ids)],
    matches: fewMatches(input.match),
    limit: Math.min(most, input.limit ? assertId('limit', input.limit) : most),
    includeDisabled: input.include_disabled === true,
    within:
      groupIds.length + groupsGiven.length === 0
        ? null
        : { ids: groupIds, names: groupsGiven.map(comparable) },
  }
}

/** Each match string looks at every account. Fault 53 for too many of them, or of stars in one. */
function fewMatches(given: readonly string[] = []): string[] {
  const matches = [...new Set(given.map(comparable))]
  const stars = Math.max(0, ...matches.map((match) => match.split('*').length - 1))
  if (matches.length > MOST_MATCHES || stars > MOST_STARS) {
    throw fault('parameterInvalid', {
      field: 'match',
      reason: `may have at most ${MOST_MATCHES} strings with ${MOST_STARS} stars each`,
    })
  }
  return matches
}

function comparable(name: string): string {
  return fold(name.trim())
}

/** Reads numbers, perhaps joined by commas. Fault 52. */
function wholeNumbers(field: string, given: readonly string[] = []): number[] {
  return given
    .flatMap((list) => list.split(','))
    .filter((item) => item.trim() !== '')
    .map((item) => assertId(field, item))
}

function unknownNames({ namesGiven }: Question, { named = [] }: Found) {
  const known = new Set(named.map(({ place }) => place))
  return namesGiven.flatMap((name, place) =>
    known.has(place) ? [] : [{ name, fault: fault('userUnknown', { login: name.trim() }) }],
  )
}

function presentFault({ name, fault: { message, code } }: ReturnType<typeof unknownNames>[number]) {
  return { name, error: true as const, message, code }
}

/**
 * Faults 51 and 804. A name is unknown to whoever is not a member of its group, and every group to whoever
 * is not logged in; nothing tells these cases from a group that does not exist.
 */
function refuseGroups(ctx: Ctx, { within, groupsGiven }: Question, found: Found): void {
  const existing = found.within ?? []
  const known = new Set(ctx.caller.kind === 'anonymous' ? [] : existing.map(({ id }) => id))
  const unknownId = within?.ids.find((id) => !known.has(id))
  if (unknownId !== undefined) {
    throw fault('groupUnknown', { group: String(unknownId) })
  }
  const own = existing.filter(({ id }) => isMember(ctx.caller, id)).map(({ nameFold }) => nameFold)
  const unknownName = groupsGiven.find((name) => !own.includes(comparable(name)))
  if (unknownName !== undefined) {
    throw fault('groupNameInvalid', { name: unknownName.trim() })
  }
}

/** The rows of the answer in its order, each person once. Fault 304. */
function chosen(question: Question, { named = [], numbered = [], matched = [] }: Found): Row[] {
  const hidden = numbered.find(({ isVisible }) => isVisible === 0)
  if (hidden !== undefined) {
    throw fault('notAuthorized', { action: `see the user with the ID ${hidden.id}` })
  }
  const first = numbered.filter(({ place }) => question.startsWithId && place === 0)
  const visible = matched.filter(({ isVisible, isWithin }) => isVisible === 1 && isWithin === 1)
  const perString = Map.groupBy(visible, ({ place }) => place)
  const fitting = [...perString.values()].flatMap((rows) => rows.slice(0, question.limit))
  const within = [...first, ...named, ...numbered].filter(({ isWithin }) => isWithin === 1)
  return [...new Map([...within, ...fitting].map((row) => [row.id, row])).values()]
}

function numbers() {
  return names().meta({ type: 'array', items: { type: 'integer' } })
}
