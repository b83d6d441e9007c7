import type { SQL } from 'drizzle-orm'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import { type Caller, hasRole, type Person } from './caller.ts'
import { ROLES, type Role } from './roles.ts'

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

/** Whether the caller sees and sets private comments and attachments. */
export function isInsider(caller: Caller): boolean {
  return caller.kind === 'system' || hasRole(caller, 'insider')
}

/** Whether the caller sees and sets hours, and sets deadlines. */
export function canTrackTime(caller: Caller): boolean {
  return caller.kind === 'system' || hasRole(caller, 'timetracking')
}

/**
 * Whether the caller belongs to the group that a setting names, as a condition: a system group is meant by
 * what it is for, whatever it is called now, any other by its name.
 */
export function inGroupOfSetting(caller: Person, name: string): SQL {
  const role = ROLES.find((one) => one === name.trim())
  if (role !== undefined) {
    return hasRole(caller, role) ? sql`1` : sql`0`
  }
  return sql`EXISTS (SELECT 1 FROM access_groups g JOIN memberships m ON m.group_id = g.id
    WHERE g.name_fold = ${fold(name.trim())} AND m.user_id = ${caller.id})`
}
