import type { Role } from './roles.ts'

/** Nobody in particular: sees what is public. */
export type Anonymous = { readonly kind: 'anonymous' }

/** Somebody who proved who they are. */
export type Person = {
  readonly kind: 'person'
  readonly id: number
  readonly login: string
  readonly realName: string
  readonly nick: string | null
  /** Groups the person belongs to: directly, by login pattern or by inheritance. */
  readonly groups: ReadonlySet<number>
  /** What those groups give. */
  readonly roles: ReadonlySet<Role>
}

/** The service itself, in queue and cron: sees everything. */
export type System = { readonly kind: 'system' }

/** Who is acting. */
export type Caller = Anonymous | Person | System

/**
 * All that decides what of bugs, comments and attachments somebody sees. What is built from this instead of
 * a `Caller` may be shared by everybody who has the same, since nothing else about a caller is in reach.
 */
export type ViewerRights = {
  readonly kind: Caller['kind']
  /** 0 for everybody but people. */
  readonly id: number
  readonly isInsider: boolean
}

/** Whoever looks at bugs. */
export type Viewer = Caller | ViewerRights

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }
export const SYSTEM: System = { kind: 'system' }

/** Whether the caller belongs to the system group with this role. */
export function hasRole(caller: Caller, role: Role): boolean {
  return caller.kind === 'person' && caller.roles.has(role)
}

/** Whether the caller belongs to the group. */
export function isMember(caller: Caller, groupId: number): boolean {
  return caller.kind === 'person' && caller.groups.has(groupId)
}
