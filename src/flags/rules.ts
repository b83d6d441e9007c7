import { type BugVisibility, isBugVisibleTo } from '../access/visibility.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { AskedPerson, FlagType } from './load.ts'

/**
 * Who may set which flag to what, and whom one may ask: pure rules about one flag. `plan.ts` puts them
 * together for a request. Contract "States and transitions", Flag status.
 */

export const FLAG_STATUSES = ['?', '+', '-'] as const

export type FlagStatus = (typeof FLAG_STATUSES)[number]

/** A flag as far as it decides what may become of it. */
export type FlagState = {
  readonly status: FlagStatus
  readonly setterId: number
  readonly requestee: { readonly id: number; readonly login: string } | null
}

/** Where a bug is and who sees it, as it will be once the request is served. */
export type FlaggedBug = BugVisibility & {
  /** 'new' for one that the same commit makes. */
  readonly id: number | 'new'
  readonly productId: number
  readonly componentId: number
}

/** Somebody who acts: their ID, and the groups they belong to. */
type Actor = { readonly id: number; readonly groups: ReadonlySet<number> }

type Groups = Pick<FlagType, 'grantGroupId' | 'requestGroupId'>

/** Whether members of these groups may grant and deny flags of the type. */
export function mayGrant(groups: ReadonlySet<number>, { grantGroupId }: Groups): boolean {
  return grantGroupId === null || groups.has(grantGroupId)
}

/** Whether they may request one: who may grant may also ask. */
export function mayRequest(groups: ReadonlySet<number>, type: Groups): boolean {
  const { requestGroupId } = type
  return mayGrant(groups, type) || requestGroupId === null || groups.has(requestGroupId)
}

/**
 * Whether somebody may set a flag from one state (null: there is none yet) to a status; X clears it. An
 * open request may be withdrawn by who may ask, by who asked and by who was asked.
 */
export function maySet(
  actor: Actor,
  type: Groups,
  from: FlagState | null,
  to: FlagStatus | 'X',
): boolean {
  if (from?.status === to) {
    return true
  }
  if (from?.status === '?' && to === 'X') {
    const isTheirs = from.setterId === actor.id || from.requestee?.id === actor.id
    return isTheirs || mayRequest(actor.groups, type)
  }
  return from === null && to === '?' ? mayRequest(actor.groups, type) : mayGrant(actor.groups, type)
}

/** The status that somebody wants a flag to have; fault 129 for anything that is none. */
export function statusIn(given: string | undefined, flag: string): FlagStatus | 'X' {
  const status = [...FLAG_STATUSES, 'X' as const].find((one) => one === given?.trim())
  if (status === undefined) {
    throw fault('flagStatusInvalid', { flag, status: (given ?? '').slice(0, 100) })
  }
  return status
}

/**
 * The person that a request asks: who is asked already, whatever they may by now; or else somebody who
 * can answer. Null when nobody is named. Faults 131 where nobody in particular can be asked, 51 for a
 * login that nobody has, 32000 for a disabled account, for who does not see what the flag is on, and for
 * who may not grant it.
 */
export function requesteeIn(
  given: string | undefined,
  held: FlagState['requestee'],
  type: FlagType,
  view: {
    readonly people: ReadonlyMap<string, AskedPerson>
    readonly bug: FlaggedBug
    readonly isPrivate: boolean
  },
): AskedPerson | FlagState['requestee'] {
  const login = (given ?? '').trim()
  if (login === '' || (held !== null && fold(held.login) === fold(login))) {
    return login === '' ? null : held
  }
  const flag = type.name
  if (!type.isRequesteeble) {
    throw fault('flagNotRequestable', { flag })
  }
  const person = view.people.get(fold(login))
  if (person === undefined) {
    throw fault('userUnknown', { login })
  }
  const { id, groups } = actorIn(person)
  const reason = person.isDisabled
    ? 'the account is disabled'
    : !isBugVisibleTo({ id, groups }, view.bug) || (view.isPrivate && !person.isInsider)
      ? 'they are not allowed to see it'
      : !mayGrant(groups, type)
        ? 'they are not allowed to grant it'
        : null
  if (reason !== null) {
    throw fault('requesteeNotAllowed', { flag, login: person.login, reason })
  }
  return person
}

/** A person who was read, as one who acts. */
export function actorIn({ id, groups }: Pick<AskedPerson, 'id' | 'groups'>): Actor {
  return { id, groups: new Set(JSON.parse(groups) as number[]) }
}
