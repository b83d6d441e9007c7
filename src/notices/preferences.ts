/** How somebody may be involved with a bug; the words that the mail preferences are kept under. */
export const MAIL_ROLES = ['assignee', 'reporter', 'qa_contact', 'cc'] as const

/** What may happen to a bug, as the mail preferences tell it apart; the last two may only veto. */
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

/** A cell of the table that somebody set otherwise than the default. */
export type Preference = readonly [role: string, event: string, wanted: boolean]

/** The side of a person that decides whether a mail is wanted. */
export type MailCandidate = {
  readonly login: string
  readonly isAuthor: boolean
  readonly roles: readonly MailRole[]
  readonly preferences: readonly Preference[]
}

/** What happened, as far as the listener may know of it. */
export type MailOccasion = {
  readonly kind: 'created' | 'changed'
  readonly isUnconfirmed: boolean
  readonly changes: readonly { field: string; removed: string; added: string }[]
  readonly comments: readonly { kind: string }[]
}

/** The cells that are off for a new account; all others are on. */
const OFF_BY_DEFAULT: Readonly<Record<MailRole, readonly MailEvent[]>> = {
  assignee: ['cc', 'by_me'],
  reporter: ['by_me'],
  qa_contact: ['cc', 'by_me'],
  cc: ['cc', 'by_me'],
}

/** Which event a change of a field is; of a field that is not named here, `other`. */
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
 * Whether somebody wants a mail: when, for one of the roles, any event that occurred is on and no event
 * that vetoes is off. Contract "Events".
 */
export function wantsMail(listener: MailCandidate, happened: MailOccasion): boolean {
  return listener.roles.some((role) => {
    const isOn = (event: MailEvent) => isEventOn(listener.preferences, role, event)
    return (
      listEvents(listener, role, happened).some(isOn) &&
      (!happened.isUnconfirmed || isOn('unconfirmed')) &&
      (!listener.isAuthor || isOn('by_me'))
    )
  })
}

function isEventOn(preferences: readonly Preference[], role: MailRole, event: MailEvent): boolean {
  const own = preferences.find(([ofRole, ofEvent]) => ofRole === role && ofEvent === event)
  return own === undefined ? !OFF_BY_DEFAULT[role].includes(event) : own[2]
}

function listEvents(listener: MailCandidate, role: MailRole, happened: MailOccasion): MailEvent[] {
  if (happened.kind === 'created') {
    // whoever reports a bug does not gain a role by it
    return role === 'reporter' ? ['created'] : ['created', 'role_changed']
  }
  const events = happened.changes.map(({ field }) => EVENT_OF_FIELD[field] ?? 'other')
  if (happened.changes.some((change) => changesRole(change, role, listener.login))) {
    events.push('role_changed')
  }
  if (happened.comments.length > 0) {
    const bringsAttachment = happened.comments.some(({ kind }) => kind === 'attachment_created')
    events.push(bringsAttachment ? 'attachment' : 'comment')
  }
  return events
}

function changesRole(
  change: MailOccasion['changes'][number],
  role: MailRole,
  login: string,
): boolean {
  const named = [...change.removed.split(', '), ...change.added.split(', ')]
  return change.field === FIELD_OF_ROLE[role] && named.includes(login)
}
