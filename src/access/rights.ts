import { fault } from '../faults.ts'
import { type Caller, hasRole, type Person } from './caller.ts'
import type { Role } from './roles.ts'

/** The person behind the call; fault 410 for anybody who has not logged in. */
export function requireLogin(caller: Caller): Person {
  if (caller.kind !== 'person') {
    throw fault('loginRequired')
  }
  return caller
}

/** Fault 410 or 304 unless the caller belongs to the system group; `action` completes "authorized to …". */
export function requireRole(caller: Caller, role: Role, action: string): Person {
  const person = requireLogin(caller)
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
export function tracksTime(caller: Caller): boolean {
  return caller.kind === 'system' || hasRole(caller, 'timetracking')
}
