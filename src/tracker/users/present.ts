import * as z from 'zod'
import { type Caller, hasRole, type Person } from '../../platform/access/caller.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { type PeoplePresenter, type PersonRow, presentNick } from './people.ts'

const groupShape = z.strictObject({ id: z.int(), name: z.string(), description: z.string() })

/** Saved searches and saved reports have the same members. */
const savedSearchShape = z.strictObject({ id: z.int(), name: z.string(), query: z.string() })

/** The User object; members are missing that the caller may not see or leaves out. */
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
    saved_searches: z.array(savedSearchShape.partial()),
    saved_reports: z.array(savedSearchShape.partial()),
    last_seen_date: z.string().nullable(),
    last_activity_time: z.string().nullable(),
    creation_time: z.string(),
  })
  .partial()
  .meta({ title: 'User' })

export type User = z.output<typeof userShape>

/** The columns of an account. Times are Unix seconds. */
export type UserRow = PersonRow & {
  readonly loginDeniedText: string
  readonly emailEnabled: boolean
  readonly createdAt: number
  readonly lastSeenAt: number | null
  readonly lastActivityAt: number | null
  /** JSON of the IDs of the person's groups that the caller may see; null when they are not selected. */
  readonly groupIds: string | null
}

export type UserGroupRow = {
  readonly id: number
  readonly name: string
  readonly description: string
}

type SavedSearchRow = {
  readonly id: number
  readonly kind: 'search' | 'report'
  readonly name: string
  readonly query: string
}

/** What `presentUser` needs beside the row. */
type UserView = {
  readonly caller: Caller
  readonly people: PeoplePresenter
  /** In the order of the answer. */
  readonly groups: readonly UserGroupRow[]
  /** Those of the caller, in the order of the answer. */
  readonly savedSearches: readonly SavedSearchRow[]
}

/**
 * Four members for anonymous callers, more for people, the state of the account for `disableusers`, saved
 * searches and reports for their owner alone.
 */
export function presentUser(row: UserRow, view: UserView): User {
  const { caller, people } = view
  const name = people.presentLogin(row.login)
  const publicMembers = { id: row.id, name, real_name: row.realName, nick: presentNick(row) }
  if (caller.kind !== 'person') {
    return publicMembers
  }
  return {
    ...publicMembers,
    email: name,
    can_login: row.loginDeniedText === '',
    ...(hasRole(caller, 'disableusers') ? presentAccountState(row) : {}),
    groups: presentGroups(row, view.groups),
    ...(isOwn(row, caller) ? presentSavedSearches(view.savedSearches) : {}),
    last_seen_date: toDatetimeOrNull(row.lastSeenAt),
    last_activity_time: toDatetimeOrNull(row.lastActivityAt),
    creation_time: toDatetime(row.createdAt),
  }
}

/** Disabled accounts get no mail, even if they prefer it. */
function presentAccountState(row: UserRow) {
  return {
    email_enabled: row.emailEnabled && row.loginDeniedText === '',
    login_denied_text: row.loginDeniedText,
  }
}

function presentGroups(row: UserRow, groups: readonly UserGroupRow[]) {
  const ids = new Set<number>(JSON.parse(row.groupIds ?? '[]'))
  return groups
    .filter(({ id }) => ids.has(id))
    .map(({ id, name, description }) => ({ id, name, description }))
}

function presentSavedSearches(rows: readonly SavedSearchRow[]) {
  const presentKind = (savedKind: SavedSearchRow['kind']) =>
    rows
      .filter(({ kind }) => kind === savedKind)
      .map(({ id, name, query }) => ({ id, name, query }))
  return { saved_searches: presentKind('search'), saved_reports: presentKind('report') }
}

function isOwn(row: UserRow, caller: Person): boolean {
  return row.id === caller.id
}

function toDatetimeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : toDatetime(seconds)
}
