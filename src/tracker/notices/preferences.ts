import { findFieldRow } from '../fields/names.ts'

/** Roles of a person in a bug; the mail preferences are stored under these names. */
export const MAIL_ROLES = ['assignee', 'reporter', 'qa_contact', 'cc', 'component_watcher'] as const

/** Events of the mail preferences. The last two can only veto a mail. */
export const MAIL_EVENTS = [
  'role_changed',
  'created',
  'resolution',
  'component',
  'management',
  'comment',
  'attachment',
  'attachment_data',
  'keywords',
  'cc',
  'dependencies',
  'other',
  'unconfirmed',
  'by_me',
] as const

export type MailRole = (typeof MAIL_ROLES)[number]
export type MailEvent = (typeof MAIL_EVENTS)[number]

/** A preference that differs from the default. */
export type Preference = readonly [role: string, event: string, isOn: boolean]

/** Preferences that do not depend on the role; they are stored as events of these. */
export type MailSwitch =
  | readonly [role: 'flags', event: 'asked' | 'answered']
  | readonly [role: 'format', event: 'html' | 'new_in_subject']

/** A person who may get a mail, with what decides whether the person wants it. */
export type MailCandidate = {
  readonly login: string
  readonly isAuthor: boolean
  readonly roles: readonly MailRole[]
  /** The roles of others whom the person watches. */
  readonly watchedRoles: readonly MailRole[]
  readonly preferences: readonly Preference[]
}

/** The change of a bug, redacted for the person. */
export type MailOccasion = {
  readonly kind: 'created' | 'changed'
  readonly isUnconfirmed: boolean
  readonly changes: readonly { field: string; removed: string; added: string }[]
  readonly comments: readonly { kind: string }[]
}

/** The events that are off by default; all others are on. */
const OFF_BY_DEFAULT: Readonly<Record<MailRole, readonly MailEvent[]>> = {
  assignee: ['cc', 'by_me'],
  reporter: ['by_me'],
  qa_contact: ['cc', 'by_me'],
  cc: ['cc', 'by_me'],
  component_watcher: ['cc', 'by_me'],
}

const FIELD_OF_ROLE: Readonly<Partial<Record<MailRole, string>>> = {
  assignee: 'assigned_to',
  qa_contact: 'qa_contact',
  cc: 'cc',
}

/**
 * Whether a person wants a mail: for one of the roles of the person, or of people whom the person watches, any event
 * of the change is on and no vetoing event is off.
 */
export function wantsMail(candidate: MailCandidate, occasion: MailOccasion): boolean {
  const { preferences, roles, watchedRoles } = candidate
  const isWanted = (role: MailRole, events: readonly MailEvent[]) => {
    const isOn = (event: MailEvent) => isEventOn(preferences, role, event)
    return (
      events.some(isOn) &&
      (!occasion.isUnconfirmed || isOn('unconfirmed')) &&
      (!candidate.isAuthor || isOn('by_me'))
    )
  }
  const common = listEvents(occasion)
  return (
    roles.some((role) =>
      isWanted(
        role,
        changesRole(occasion, role, candidate.login) ? [...common, 'role_changed'] : common,
      ),
    ) || watchedRoles.some((role) => isWanted(role, common))
  )
}

export function isEventOn(
  preferences: readonly Preference[],
  role: MailRole,
  event: MailEvent,
): boolean {
  return findPreference(preferences, role, event) ?? isOnByDefault(role, event)
}

/** Whether the cell is on for an account that has not changed it. */
export function isOnByDefault(role: MailRole, event: MailEvent): boolean {
  return !OFF_BY_DEFAULT[role].includes(event)
}

export function isSwitchOn(
  preferences: readonly Preference[],
  ...[role, event]: MailSwitch
): boolean {
  return findPreference(preferences, role, event) ?? isSwitchOnByDefault(event)
}

/** Whether a switch is on for an account that has not changed it. */
export function isSwitchOnByDefault(event: string): boolean {
  return event !== 'html'
}

function findPreference(
  preferences: readonly Preference[],
  role: string,
  event: string,
): boolean | undefined {
  return preferences.find(([ofRole, ofEvent]) => ofRole === role && ofEvent === event)?.[2]
}

function listEvents(occasion: MailOccasion): MailEvent[] {
  if (occasion.kind === 'created') {
    return ['created']
  }
  const events: MailEvent[] = occasion.changes.map(
    ({ field }) => findFieldRow(field)?.mailEvent ?? 'other',
  )
  if (occasion.comments.length > 0) {
    const bringsAttachment = occasion.comments.some(({ kind }) => kind === 'attachment_created')
    events.push(bringsAttachment ? 'attachment' : 'comment')
  }
  return events
}

/** Filing gives people their roles; nobody becomes a reporter later. */
function changesRole({ kind, changes }: MailOccasion, role: MailRole, login: string): boolean {
  const field = FIELD_OF_ROLE[role]
  if (field === undefined) {
    return false
  }
  return (
    kind === 'created' ||
    changes.some(
      (change) =>
        change.field === field &&
        [...change.removed.split(', '), ...change.added.split(', ')].includes(login),
    )
  )
}
