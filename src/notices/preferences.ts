/** Roles of a person in a bug; the mail preferences are stored under these names. */
export const MAIL_ROLES = ['assignee', 'reporter', 'qa_contact', 'cc'] as const

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

/** A person who may get a mail, with what decides whether the person wants it. */
export type MailCandidate = {
  readonly login: string
  readonly isAuthor: boolean
  readonly roles: readonly MailRole[]
  readonly preferences: readonly Preference[]
}

/** The change of a bug, as far as the person may know of it. */
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
}

/** The event of a change of a field; `other` for fields that are not listed. */
const EVENT_OF_FIELD: Readonly<Record<string, MailEvent>> = {
  resolution: 'resolution',
  product: 'component',
  component: 'component',
  status: 'management',
  priority: 'management',
  severity: 'management',
  type: 'management',
  target_milestone: 'management',
  'attachments.description': 'attachment_data',
  'attachments.mimetype': 'attachment_data',
  'attachments.ispatch': 'attachment_data',
  keywords: 'keywords',
  cc: 'cc',
  depends_on: 'dependencies',
  blocks: 'dependencies',
  regressed_by: 'dependencies',
  regressions: 'dependencies',
}

const FIELD_OF_ROLE: Readonly<Partial<Record<MailRole, string>>> = {
  assignee: 'assigned_to',
  qa_contact: 'qa_contact',
  cc: 'cc',
}

/**
 * Whether a person wants a mail: for one of the person's roles any event of the change is on and no vetoing
 * event is off. Reference: notifications.md, "Mail preferences".
 */
export function wantsMail(candidate: MailCandidate, occasion: MailOccasion): boolean {
  return candidate.roles.some((role) => {
    const isOn = (event: MailEvent) => isEventOn(candidate.preferences, role, event)
    return (
      listEvents(candidate, role, occasion).some(isOn) &&
      (!occasion.isUnconfirmed || isOn('unconfirmed')) &&
      (!candidate.isAuthor || isOn('by_me'))
    )
  })
}

function isEventOn(preferences: readonly Preference[], role: MailRole, event: MailEvent): boolean {
  const preference = preferences.find(([ofRole, ofEvent]) => ofRole === role && ofEvent === event)
  return preference === undefined ? !OFF_BY_DEFAULT[role].includes(event) : preference[2]
}

function listEvents(candidate: MailCandidate, role: MailRole, occasion: MailOccasion): MailEvent[] {
  if (occasion.kind === 'created') {
    // the reporter does not gain that role later, so that it is no change of role
    return role === 'reporter' ? ['created'] : ['created', 'role_changed']
  }
  const events = occasion.changes.map(({ field }) => EVENT_OF_FIELD[field] ?? 'other')
  if (occasion.changes.some((change) => changesRole(change, role, candidate.login))) {
    events.push('role_changed')
  }
  if (occasion.comments.length > 0) {
    const bringsAttachment = occasion.comments.some(({ kind }) => kind === 'attachment_created')
    events.push(bringsAttachment ? 'attachment' : 'comment')
  }
  return events
}

function changesRole(
  change: MailOccasion['changes'][number],
  role: MailRole,
  login: string,
): boolean {
  const logins = [...change.removed.split(', '), ...change.added.split(', ')]
  return change.field === FIELD_OF_ROLE[role] && logins.includes(login)
}
