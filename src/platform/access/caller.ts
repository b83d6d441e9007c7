import { ROLES, type Role } from './roles.ts'

/** A caller without credentials, who sees what is public. */
export type Anonymous = { readonly kind: 'anonymous' }

/** An authenticated person. */
export type Person = {
  readonly kind: 'person'
  readonly id: number
  readonly login: string
  readonly realName: string
  readonly nick: string | null
  /** Groups the person belongs to: directly, by login pattern or by inheritance. */
  readonly groups: ReadonlySet<number>
  /** The roles of those groups. */
  readonly roles: ReadonlySet<Role>
  /** Acts with all rights of the service, under this name: see `withFullRights`. */
  readonly hasFullRights?: true
  /** What the API key of the request allows less than its owner may do; absent without such a limit. */
  readonly scope?: KeyScope
}

/** What a limited API key allows less than its owner may do. */
export type KeyScope = {
  readonly keyId: number
  readonly canWrite: boolean
  /** Whether it gives the administrative roles of its owner, and the rights to hand out groups. */
  readonly canAdminister: boolean
  /** The products that the key is limited to; null for all. */
  readonly productIds: readonly number[] | null
}

/** The service itself, in queue and cron, which sees everything. */
export type System = { readonly kind: 'system' }

export type Caller = Anonymous | Person | System

/**
 * Everything of a caller that decides which bugs, comments and attachments are visible. A value that is
 * built from it may be cached for all callers with equal rights, because it can depend on nothing else.
 */
export type ViewerRights = {
  readonly kind: Caller['kind']
  /** 0 for everybody but people. */
  readonly id: number
  readonly isInsider: boolean
  /** The products that the API key of the caller is limited to; null for all. */
  readonly productIds: readonly number[] | null
}

/** A caller, or only its rights, as the conditions of `visibility.ts` take them. */
export type Viewer = Caller | ViewerRights

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }
export const SYSTEM: System = { kind: 'system' }

/**
 * The person with all rights of the service, for work that the service does in their name; no answer may be made
 * for such a caller. `groups` are those of the tracker.
 */
export function withFullRights(person: Person, groups: readonly number[]): Person {
  return { ...person, groups: new Set(groups), roles: new Set(ROLES), hasFullRights: true }
}

/** Whether the caller belongs to the system group with this role. */
export function hasRole(caller: Caller, role: Role): boolean {
  return caller.kind === 'person' && caller.roles.has(role)
}

/** The products that the API key of the viewer is limited to; null for all. */
export function findProductsInScope(viewer: Viewer): readonly number[] | null {
  if ('productIds' in viewer) {
    return viewer.productIds
  }
  return (viewer.kind === 'person' ? viewer.scope?.productIds : null) ?? null
}

export function isMember(caller: Caller, groupId: number): boolean {
  return caller.kind === 'person' && caller.groups.has(groupId)
}
