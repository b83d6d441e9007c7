import type { SQL } from 'drizzle-orm'
import { groups, memberships } from '../db/schema/groups.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import { type Caller, hasRole, type Person, type Viewer, type ViewerRights } from './caller.ts'
import { ROLES, type Role } from './roles.ts'

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** The person behind the call; fault 410 for anybody who has not logged in. */
export function assertLoggedIn(caller: Caller): Person {
  if (caller.kind !== 'person') {
    throw fault('loginRequired')
  }
  return caller
}

/** Fault 410 or 304 unless the caller belongs to the system group; `action` completes "authorized to …". */
export function assertRole(caller: Caller, role: Role, action: string): Person {
  const person = assertLoggedIn(caller)
  if (!person.roles.has(role)) {
    throw fault('notAuthorized', { action })
  }
  return person
}

/** Whether the viewer sees and sets private comments and attachments. */
export function isInsider(viewer: Viewer): boolean {
  return 'isInsider' in viewer
    ? viewer.isInsider
    : viewer.kind === 'system' || hasRole(viewer, 'insider')
}

/** What of a caller decides about bugs, comments and attachments. */
export function viewerRights(caller: Caller): ViewerRights {
  return {
    kind: caller.kind,
    id: caller.kind === 'person' ? caller.id : 0,
    isInsider: isInsider(caller),
  }
}

/** Whether the caller sees and sets hours, and sets deadlines. */
export function canTrackTime(caller: Caller): boolean {
  return caller.kind === 'system' || hasRole(caller, 'timetracking')
}

/**
 * The condition that the caller belongs to the group that a setting names. The word of a role names its
 * system group, whatever that is called now; any other text is the name of a group.
 */
export function groupOfSettingCondition(caller: Person, name: string): SQL {
  const role = ROLES.find((one) => one === name.trim())
  if (role !== undefined) {
    return hasRole(caller, role) ? sql`1` : sql`0`
  }
  return sql`EXISTS (SELECT 1 FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(name.trim())} AND ${m.userId} = ${caller.id})`
}
