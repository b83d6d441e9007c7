import * as z from 'zod'
import { type Caller, hasRole, type Person } from '../access/caller.ts'
import { toDatetime } from '../lib/time.ts'
import { nickOf, type People, type PersonRow } from './people.ts'

const groupShape = z.strictObject({ id: z.int(), name: z.string(), description: z.string() })

/** Saved searches and saved reports look alike. */
const savedShape = z.strictObject({ id: z.int(), name: z.string(), query: z.string() })

/** The User object of the contract, parts of which a caller may not see or have left out. */
export const userShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    real_name: z.string(),
    nick: z.string(),
    email: z.string(),
    can_login: z.boolean(),
    email_enabled: z.boolean(),
    login_denied_text: z.string(),
    groups: z.array(groupShape.partial()),
    saved_searches: z.array(savedShape.partial()),
    saved_reports: z.array(savedShape.partial()),
    last_seen_date: z.string().nullable(),
    last_activity_time: z.string().nullable(),
    creation_time: z.string(),
  })
  .partial()

export type User = z.output<typeof userShape>

/** What is read of an account. Times are Unix seconds. */
export type UserRow = PersonRow & {
  readonly loginDeniedText: string
  readonly emailEnabled: boolean
  readonly createdAt: number
  readonly lastSeenAt: number | null
  readonly lastActivityAt: number | null
  /** JSON: the IDs of the person's groups that the caller may know; null when nobody wants them. */
  readonly groupIds: string | null
}

export type GroupRow = { readonly id: number; readonly name: string; readonly description: string }

export type SavedRow = {
  readonly id: number
  readonly kind: 'search' | 'report'
  readonly name: string
  readonly query: string
}

/** What presenting accounts needs beside their rows. */
export type View = {
  readonly caller: Caller
  readonly people: People
  /** In the order in which they are to be shown. */
  readonly groups: readonly GroupRow[]
  /** What the caller saved, in the order in which it is to be shown. */
  readonly saved: readonly SavedRow[]
}

/**
 * The User object as the caller may see it: four fields when nobody is logged in; more for people; mail
 * and why the account is disabled for `disableusers`; saved searches and reports for their owner alone.
 * Contract "Users", Get User visibility.
 */
export function presentUser(row: UserRow, view: View): User {
  const { caller, people } = view
  const name = people.login(row.login)
  const known = { id: row.id, name, real_name: row.realName, nick: nickOf(row) }
  if (caller.kind !== 'person') {
    return known
  }
  return {
    ...known,
    email: name,
    can_login: row.loginDeniedText === '',
    ...(hasRole(caller, 'disableusers') ? presentSwitches(row) : {}),
    groups: groupsOf(row, view.groups),
    ...(isOwn(row, caller) ? presentSaved(view.saved) : {}),
    last_seen_date: datetimeOrNull(row.lastSeenAt),
    last_activity_time: datetimeOrNull(row.lastActivityAt),
    creation_time: toDatetime(row.createdAt),
  }
}

/** A disabled account gets no mail, whatever it had chosen. */
function presentSwitches(row: UserRow) {
  return {
    email_enabled: row.emailEnabled && row.loginDeniedText === '',
    login_denied_text: row.loginDeniedText,
  }
}

function groupsOf(row: UserRow, groups: readonly GroupRow[]) {
  const ids = new Set<number>(JSON.parse(row.groupIds ?? '[]'))
  return groups
    .filter(({ id }) => ids.has(id))
    .map(({ id, name, description }) => ({ id, name, description }))
}

function presentSaved(saved: readonly SavedRow[]) {
  const of = (wanted: SavedRow['kind']) =>
    saved.filter(({ kind }) => kind === wanted).map(({ id, name, query }) => ({ id, name, query }))
  return { saved_searches: of('search'), saved_reports: of('report') }
}

function isOwn(row: UserRow, caller: Person): boolean {
  return row.id === caller.id
}

function datetimeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : toDatetime(seconds)
}
