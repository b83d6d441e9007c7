import * as z from 'zod'
import { isMember } from '../../platform/access/caller.ts'
import { groupUnknown, notAuthorized } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import { fault, invalidParameter, parameterMissing } from '../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
import { inScanTurn } from '../../platform/http/operations/read-turns.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import { boolean, names, selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { PagedAnswer, pageAt } from '../../platform/http/response/paged-answer.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { foldName } from '../../platform/lib/text.ts'
import { getUserFaults, groupNameInvalid, userIdsNeedLogin, userUnknown } from './faults.ts'
import type { UserCriteria } from './find.ts'
import { admitListedGroups } from './listed-groups.ts'
import { PeoplePresenter } from './people.ts'
import { presentUser, userShape } from './present.ts'
import { readPeople } from './read-people.ts'

const MAX_MATCHES = 20
const MAX_STARS = 5
/** People ahead of a page, which are read again for each: of all match strings together. */
const MAX_OFFSET = 10_000

/** IDs arrive as texts, because anonymous callers are refused before malformed IDs. */
const getUsersInput = z.object({
  ids: idTexts(),
  names: names(),
  match: names(),
  limit: text().meta({ type: 'integer', minimum: 1 }),
  offset: text().meta({ type: 'integer', minimum: 0 }),
  group_ids: idTexts(),
  groups: names(),
  /** Some clients call `groups` this. */
  group: names(),
  include_disabled: boolean(),
  permissive: boolean(),
  ...selectionInput,
})

const faultShape = z.strictObject({
  name: z.string(),
  error: z.literal(true),
  message: z.string(),
  code: z.int(),
})

type Input = z.output<typeof getUsersInput> & { id_or_name?: string }
type ParsedCriteria = UserCriteria & {
  readonly rawNames: readonly string[]
  readonly rawGroupNames: readonly string[]
  readonly pathIsId: boolean
}
type PeopleRows = Awaited<ReturnType<typeof readPeople>>
type PersonMatch = NonNullable<PeopleRows['byId']>[number]

/**
 * The people of the path, of `names`, of `ids` and of `match`, in that order and each once; with groups
 * only their members.
 */
export const getUsers = operation(
  {
    method: 'GET',
    path: '/user',
    summary: 'Find accounts by ID, login or part of a name',
    reference: 'users.md#find-users',
    input: getUsersInput,
    output: z.strictObject({
      users: z.array(userShape),
      faults: z.array(faultShape).optional(),
    }),
    faults: getUserFaults,
    requires: anyone,
    scope: 'read',
  },
  inScanTurn(async (ctx, input: Input) => {
    const selection = new Selection(input)
    const criteria = parseCriteria(ctx, input)
    const rows = await readPeople(ctx, criteria, {
      caller: ctx.caller,
      byGroups: ctx.settings.USE_VISIBILITY_GROUPS,
      wantsGroups: selection.includes('groups'),
      wantsSavedSearches:
        selection.includes('saved_searches') || selection.includes('saved_reports'),
    })
    const faults = findUnknownNames(criteria, rows)
    if (faults[0] !== undefined && input.permissive !== true) {
      throw faults[0].fault
    }
    assertGroupsKnown(ctx, criteria, rows)
    const view = {
      caller: ctx.caller,
      people: new PeoplePresenter(ctx.caller, ctx.settings),
      groups: rows.groups ?? [],
      savedSearches: rows.savedSearches ?? [],
    }
    const { found, isMore } = collectVisibleRows(criteria, rows)
    admitListedGroups(ctx, found, rows.groups ?? [])
    const body = {
      users: found.map((row) => selection.prune(presentUser(row, view))),
      ...(input.permissive === true ? { faults: faults.map(presentFault) } : {}),
    }
    const { offset, limit, matches } = criteria
    return new PagedAnswer(body, isMore ? pageAt(offset + limit, mostOffset(matches)) : {})
  }, isMatching),
)

export const getUser = alsoAt(getUsers, {
  path: '/user/:id_or_name',
  summary: 'Read one account',
  input: getUsersInput.extend({ id_or_name: z.string() }),
})

function isMatching({ match }: Input): boolean {
  return match !== undefined
}

function parseCriteria(ctx: Ctx, input: Input): ParsedCriteria {
  const path = input.id_or_name?.trim()
  const isId = path !== undefined && isDigits(path)
  if (path === undefined && [input.ids, input.names, input.match].every((list) => !list)) {
    throw fault(parameterMissing, { field: "ids', 'names' or 'match" })
  }
  if (ctx.caller.kind === 'anonymous' && (isId || input.ids || input.match)) {
    throw fault(userIdsNeedLogin)
  }
  const maxLimit = ctx.settings.USER_MATCH_LIMIT
  const rawNames = [...(isId || path === undefined ? [] : [path]), ...(input.names ?? [])]
  const rawGroupNames = [...(input.groups ?? []), ...(input.group ?? [])]
  const groupIds = parseIds('group_ids', input.group_ids)
  const matches = parseMatches(input.match)
  return {
    pathIsId: isId,
    rawNames,
    rawGroupNames,
    names: rawNames.map(foldName),
    ids: [...(isId ? [requireId('id_or_name', path)] : []), ...parseIds('ids', input.ids)],
    matches,
    limit: Math.min(maxLimit, input.limit ? requireId('limit', input.limit) : maxLimit),
    offset: parseOffset(input.offset, matches),
    includeDisabled: input.include_disabled === true,
    memberOf:
      groupIds.length + rawGroupNames.length === 0
        ? null
        : {
            ids: groupIds,
            names: rawGroupNames.map(foldName),
            namedBy: ctx.caller.kind === 'person' ? ctx.caller.id : null,
          },
  }
}

/** Each match string scans every account. */
function parseMatches(texts: readonly string[] = []): string[] {
  const matches = [...new Set(texts.map(foldName))]
  const stars = Math.max(0, ...matches.map((match) => match.split('*').length - 1))
  if (matches.length > MAX_MATCHES || stars > MAX_STARS) {
    throw invalidParameter(
      'match',
      `may have at most ${MAX_MATCHES} strings with ${MAX_STARS} stars each`,
    )
  }
  return matches
}

/** A text may hold several IDs with commas between them. */
function parseIds(field: string, texts: readonly string[] = []): number[] {
  return texts
    .flatMap((list) => list.split(','))
    .filter((item) => item.trim() !== '')
    .map((item) => requireId(field, item))
}

function findUnknownNames({ rawNames }: ParsedCriteria, { byName = [] }: PeopleRows) {
  const foundPositions = new Set(byName.map(({ position }) => position))
  return rawNames.flatMap((name, position) =>
    foundPositions.has(position)
      ? []
      : [{ name, fault: fault(userUnknown, { login: name.trim() }) }],
  )
}

function presentFault({
  name,
  fault: { message, code },
}: ReturnType<typeof findUnknownNames>[number]) {
  return { name, error: true as const, message, code }
}

/** Only members know the name of a group; others are refused as for a group that does not exist. */
function assertGroupsKnown(
  ctx: Ctx,
  { memberOf, rawGroupNames }: ParsedCriteria,
  { filterGroups = [] }: PeopleRows,
): void {
  const knownIds = new Set(ctx.caller.kind === 'anonymous' ? [] : filterGroups.map(({ id }) => id))
  const unknownId = memberOf?.ids.find((id) => !knownIds.has(id))
  if (unknownId !== undefined) {
    throw fault(groupUnknown, { group: String(unknownId) })
  }
  const ownNames = filterGroups
    .filter(({ id }) => isMember(ctx.caller, id))
    .map(({ nameFold }) => nameFold)
  const unknownName = rawGroupNames.find((name) => !ownNames.includes(foldName(name)))
  if (unknownName !== undefined) {
    throw fault(groupNameInvalid, { name: unknownName.trim() })
  }
}

/** The rows of the answer in its order, each person once. */
function collectVisibleRows(
  criteria: ParsedCriteria,
  { byName = [], byId = [], byMatch }: PeopleRows,
): { found: PersonMatch[]; isMore: boolean } {
  const hidden = byId.find(({ isVisible }) => isVisible === 0)
  if (hidden !== undefined) {
    throw fault(notAuthorized, { action: `see the user with the ID ${hidden.id}` })
  }
  const ofPath = byId.filter(({ position }) => criteria.pathIsId && position === 0)
  const requested = [...ofPath, ...byName, ...byId].filter(({ isInGroups }) => isInGroups === 1)
  const { offset, limit } = criteria
  // a range has those of all strings
  const sorted = byMatch.toSorted((a, b) => a.position - b.position)
  const matches = sorted.filter(({ place }) => place > offset && place <= offset + limit)
  return {
    found: [...new Map([...requested, ...matches].map((row) => [row.id, row])).values()],
    isMore: byMatch.some(({ place }) => place > offset + limit),
  }
}

function parseOffset(given: string | undefined, matches: readonly string[]): number {
  const text = given?.trim() ?? ''
  if (text === '') {
    return 0
  }
  const most = mostOffset(matches)
  if (!isDigits(text) || Number(text) > most) {
    throw invalidParameter('offset', `must be a whole number up to ${most}`)
  }
  return Number(text)
}

function mostOffset(matches: readonly unknown[]): number {
  return Math.floor(MAX_OFFSET / Math.max(1, matches.length))
}

function idTexts() {
  return names().meta({ type: 'array', items: { type: 'integer' } })
}
