import type { SQL } from 'drizzle-orm'
import { groups, memberships } from '../db/schema/groups.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { fault } from '../faults/fault.ts'
import { fold } from '../lib/text.ts'
import {
  type Caller,
  findProductsInScope,
  hasRole,
  type Person,
  type Viewer,
  type ViewerRights,
} from './caller.ts'
import { loginRequired, notAuthorized } from './faults.ts'
import { ROLES, type Role } from './roles.ts'

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** The caller as a person; fault 410 for an anonymous caller and for the system. */
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
