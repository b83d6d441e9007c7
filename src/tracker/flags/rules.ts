import { isHiddenAsPrivate } from '../../platform/access/privacy.ts'
import { type BugVisibility, isBugVisibleTo } from '../../platform/access/visibility.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'
import { userUnknown } from '../users/faults.ts'
import { flagNotRequestable, flagStatusInvalid, requesteeNotAllowed } from './faults.ts'
import type { FlagPerson, LoadedFlagType } from './load.ts'

/**
 * Rules about one flag: who may set it to which status, and who can be its requestee. `plan.ts` applies them
 * to a request.
 */

const FLAG_STATUSES = ['?', '+', '-'] as const

export type FlagStatus = (typeof FLAG_STATUSES)[number]

/** The values of a flag that the rules need. */
export type FlagState = {
  readonly status: FlagStatus
  readonly setterId: number
  readonly requestee: { readonly id: number; readonly login: string } | null
}

/** The component of a bug and who sees it, as the request leaves them. */
export type FlaggedBug = BugVisibility & {
  /** 'new' for a bug that the same commit inserts. */
  readonly id: number | 'new'
  readonly productId: number
  readonly componentId: number
}

/** A person who sets flags or answers them. */
type Actor = { readonly id: number; readonly groups: ReadonlySet<number> }

type FlagTypeGroups = Pick<LoadedFlagType, 'grantGroupId' | 'requestGroupId'>

/** Whether members of the groups may grant and deny flags of the type. */
export function canGrantFlag(
  groups: ReadonlySet<number>,
  { grantGroupId }: FlagTypeGroups,
): boolean {
  return grantGroupId === null || groups.has(grantGroupId)
}

/** Whether members of the groups may request a flag of the type: who may grant may request, too. */
export function canRequestFlag(groups: ReadonlySet<number>, type: FlagTypeGroups): boolean {
  const { requestGroupId } = type
  return canGrantFlag(groups, type) || requestGroupId === null || groups.has(requestGroupId)
}

/**
 * Whether the actor may set a flag from one state (null for a new flag) to a status; X clears it. Who may
 * request, the setter and the requestee may withdraw an open request.
 */
export function canSetFlag(
  actor: Actor,
  type: FlagTypeGroups,
  from: FlagState | null,
  to: FlagStatus | 'X',
): boolean {
  if (from?.status === to) {
    return true
  }
  if (from?.status === '?' && to === 'X') {
    const isOwn = from.setterId === actor.id || from.requestee?.id === actor.id
    return isOwn || canRequestFlag(actor.groups, type)
  }
  return from === null && to === '?'
    ? canRequestFlag(actor.groups, type)
    : canGrantFlag(actor.groups, type)
}

/** X clears the flag. */
export function parseFlagStatus(input: string | undefined, flag: string): FlagStatus | 'X' {
  const status = [...FLAG_STATUSES, 'X' as const].find((one) => one === input?.trim())
  if (status === undefined) {
    throw fault(flagStatusInvalid, { flag, status: (input ?? '').slice(0, 100) })
  }
  return status
}

/**
 * The requestee of an open request, or null. The current requestee stays, even without rights; a new one has
 * to be enabled, see the bug or attachment, and be allowed to grant the flag.
 */
export function resolveRequestee(
  input: string | undefined,
  current: FlagState['requestee'],
  type: LoadedFlagType,
  context: {
    readonly people: ReadonlyMap<string, FlagPerson>
    readonly bug: FlaggedBug
    readonly isPrivate: boolean
  },
): FlagPerson | FlagState['requestee'] {
  const login = (input ?? '').trim()
  if (login === '' || (current !== null && fold(current.login) === fold(login))) {
    return login === '' ? null : current
  }
  const flag = type.name
  if (!type.isRequesteeble) {
    throw fault(flagNotRequestable, { flag })
  }
  const person = context.people.get(fold(login))
  if (person === undefined) {
    throw fault(userUnknown, { login })
  }
  const { id, groups } = parseActor(person)
  const reason = person.isDisabled
    ? 'the account is disabled'
    : !isBugVisibleTo({ id, groups }, context.bug) || isHiddenAsPrivate(person, context)
      ? 'they are not allowed to see it'
      : !canGrantFlag(groups, type)
        ? 'they are not allowed to grant it'
        : null
  if (reason !== null) {
    throw fault(requesteeNotAllowed, { flag, login: person.login, reason })
  }
  return person
}

/** Makes an actor of a row of `selectFlags`. */
export function parseActor({ id, groups }: Pick<FlagPerson, 'id' | 'groups'>): Actor {
  return { id, groups: new Set(JSON.parse(groups) as number[]) }
}
