import type { SQL } from 'drizzle-orm'
import { groups, memberships } from '../db/schema/groups.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { fault } from '../faults/fault.ts'
import { fold } from '../lib/text.ts'
import { loginRequired, notAuthorized } from './faults.ts'
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
type System = { readonly kind: 'system' }

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

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** The caller as a person; refuses anonymous callers and the system. */
export function assertLoggedIn(caller: Caller): Person {
  if (caller.kind !== 'person') {
    throw fault(loginRequired)
  }
  return caller
}

export function assertRole(caller: Caller, role: Role, action: string): Person {
  const person = assertLoggedIn(caller)
  if (!person.roles.has(role)) {
    throw fault(notAuthorized, { action })
  }
  return person
}

/** Whether the viewer sees private comments and attachments and may make them private. */
export function isInsider(viewer: Viewer): boolean {
  return 'isInsider' in viewer
    ? viewer.isInsider
    : viewer.kind === 'system' || hasRole(viewer, 'insider')
}

/** The rights of a caller that decide about bugs, comments and attachments. */
export function viewerRights(caller: Caller): ViewerRights {
  return {
    kind: caller.kind,
    id: caller.kind === 'person' ? caller.id : 0,
    isInsider: isInsider(caller),
    productIds: findProductsInScope(caller),
  }
}

/** Whether the caller sees and sets hours and sets deadlines. */
export function canTrackTime(caller: Caller): boolean {
  return caller.kind === 'system' || hasRole(caller, 'timetracking')
}

/**
 * Whether the caller is in the group that a setting names: a role names its system group, however that is
 * called, any other text a group.
 */
export function groupOfSettingCondition(caller: Person, name: string): SQL {
  const role = ROLES.find((candidate) => candidate === name.trim())
  if (role !== undefined) {
    return hasRole(caller, role) ? sql`1` : sql`0`
  }
  return sql`EXISTS (SELECT 1 FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(name.trim())} AND ${m.userId} = ${caller.id})`
}
