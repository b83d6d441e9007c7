import { describe, expect, test } from 'vitest'
import {
  isSwitchOn,
  MAIL_EVENTS,
  MAIL_ROLES,
  type MailCandidate,
  type MailOccasion,
  type MailRole,
  type Preference,
  wantsMail,
} from '../../../src/tracker/notices/preferences.ts'

const ME = 'me@example.test'

function listener(roles: MailRole[], more: Partial<MailCandidate> = {}): MailCandidate {
  return { login: ME, isAuthor: false, roles, watchedRoles: [], preferences: [], ...more }
}

function happened(more: Partial<MailOccasion> = {}): MailOccasion {
  return { kind: 'changed', isUnconfirmed: false, changes: [], comments: [], ...more }
}

function fields(...names: string[]): MailOccasion {
  return happened({ changes: names.map((field) => ({ field, removed: 'a', added: 'b' })) })
}

/** Everything off for the role, but for some events. */
function only(role: MailRole, ...events: string[]): Preference[] {
  const vetoes = ['unconfirmed', 'by_me']
  return MAIL_EVENTS.filter((event) => !vetoes.includes(event)).map(
    (event) => [role, event, events.includes(event)] as const,
  )
}

describe('by default', () => {
  test.each(MAIL_ROLES)('%s wants a comment, a new bug and a change of any field', (role) => {
    const comment = happened({ comments: [{ kind: 'plain' }] })
    for (const occasion of [
      comment,
      happened({ kind: 'created' }),
      fields('status'),
      fields('cf_x'),
    ]) {
      expect(wantsMail(listener([role]), occasion)).toBe(true)
    }
  })

  test.each(MAIL_ROLES)('%s gets no mail about their own changes', (role) => {
    expect(wantsMail(listener([role], { isAuthor: true }), fields('status'))).toBe(false)
  })

  test.each([
    ['reporter', true],
    ['assignee', false],
    ['qa_contact', false],
    ['cc', false],
  ] as const)('that the CC list alone changed, %s wants to know: %s', (role, wanted) => {
    expect(wantsMail(listener([role]), fields('cc'))).toBe(wanted)
  })

  test('who joins or leaves the CC list wants to know that', () => {
    const joins = happened({ changes: [{ field: 'cc', removed: '', added: `you@x.test, ${ME}` }] })
    const leaves = happened({ changes: [{ field: 'cc', removed: ME, added: '' }] })
    const longer = happened({ changes: [{ field: 'cc', removed: '', added: `not${ME}` }] })
    expect(wantsMail(listener(['cc']), joins)).toBe(true)
    expect(wantsMail(listener(['cc']), leaves)).toBe(true)
    expect(wantsMail(listener(['cc']), longer)).toBe(false)
  })

  test('an empty change is mailed to nobody', () => {
    expect(wantsMail(listener([...MAIL_ROLES]), happened())).toBe(false)
    expect(wantsMail(listener([]), fields('status'))).toBe(false)
  })
})

describe('by preference', () => {
  test.each([
    ['resolution', 'resolution'],
    ['product', 'component'],
    ['component', 'component'],
    ['status', 'management'],
    ['priority', 'management'],
    ['severity', 'management'],
    ['type', 'management'],
    ['target_milestone', 'management'],
    ['attachments.description', 'attachment_data'],
    ['attachments.mimetype', 'attachment_data'],
    ['attachments.ispatch', 'attachment_data'],
    ['attachments.isobsolete', 'other'],
    ['keywords', 'keywords'],
    ['cc', 'cc'],
    ['depends_on', 'dependencies'],
    ['blocks', 'dependencies'],
    ['regressed_by', 'dependencies'],
    ['regressions', 'dependencies'],
    ['summary', 'other'],
    ['flagtypes.name', 'other'],
    ['cf_anything', 'other'],
  ])('a change of %s is the event %s and no other', (field, event) => {
    const others = MAIL_EVENTS.filter((name) => name !== event)
    expect(wantsMail(listener(['cc'], { preferences: only('cc', event) }), fields(field))).toBe(
      true,
    )
    expect(wantsMail(listener(['cc'], { preferences: only('cc', ...others) }), fields(field))).toBe(
      false,
    )
  })

  test.each([
    [['plain'], 'comment'],
    [['attachment_updated'], 'comment'],
    [['attachment_created'], 'attachment'],
    [['plain', 'attachment_created'], 'attachment'],
  ])('comments of kind %s are the event %s', (kinds, event) => {
    const occasion = happened({ comments: kinds.map((kind) => ({ kind })) })
    const others = MAIL_EVENTS.filter((name) => name !== event)
    expect(wantsMail(listener(['cc'], { preferences: only('cc', event) }), occasion)).toBe(true)
    expect(wantsMail(listener(['cc'], { preferences: only('cc', ...others) }), occasion)).toBe(
      false,
    )
  })

  test.each([
    ['assignee', 'assigned_to', true],
    ['qa_contact', 'qa_contact', true],
    ['reporter', 'assigned_to', false],
    ['cc', 'assigned_to', false],
  ] as const)('for %s a change of %s is a change of role: %s', (role, field, isRole) => {
    const preferences = only(role, 'role_changed')
    const occasion = happened({ changes: [{ field, removed: ME, added: 'you@x.test' }] })
    expect(wantsMail(listener([role], { preferences }), occasion)).toBe(isRole)
  })

  test.each([
    ['assignee', true],
    ['qa_contact', true],
    ['cc', true],
    ['reporter', false],
  ] as const)('a new bug gives %s a role: %s', (role, gains) => {
    const preferences = only(role, 'role_changed')
    expect(wantsMail(listener([role], { preferences }), happened({ kind: 'created' }))).toBe(gains)
  })

  test('one role that wants the mail is enough, and the veto of one role binds no other', () => {
    const preferences: Preference[] = [
      ['assignee', 'comment', false],
      ['assignee', 'unconfirmed', false],
    ]
    const occasion = happened({ isUnconfirmed: true, comments: [{ kind: 'plain' }] })
    expect(wantsMail(listener(['assignee'], { preferences }), occasion)).toBe(false)
    expect(wantsMail(listener(['assignee', 'cc'], { preferences }), occasion)).toBe(true)
  })

  test('somebody who switched mail about their own changes on gets it', () => {
    const preferences: Preference[] = [['cc', 'by_me', true]]
    const me = listener(['cc'], { isAuthor: true, preferences })
    expect(wantsMail(me, fields('status'))).toBe(true)
  })

  test('somebody who wants no mail about unconfirmed bugs gets it about others', () => {
    const preferences: Preference[] = [['cc', 'unconfirmed', false]]
    const me = listener(['cc'], { preferences })
    expect(wantsMail(me, { ...fields('status'), isUnconfirmed: true })).toBe(false)
    expect(wantsMail(me, fields('status'))).toBe(true)
  })

  test('a role of somebody whom the person watches counts like one of their own', () => {
    const watching = (preferences: Preference[]) =>
      listener([], { watchedRoles: ['assignee'], preferences })
    expect(wantsMail(watching([]), fields('status'))).toBe(true)
    expect(wantsMail(watching([['assignee', 'management', false]]), fields('status'))).toBe(false)
    expect(wantsMail(watching([['cc', 'management', false]]), fields('status'))).toBe(true)
  })

  test.each([
    ['created', happened({ kind: 'created' })],
    ['changed', happened({ changes: [{ field: 'assigned_to', removed: '', added: ME }] })],
  ])('a change of roles is none for who only watches: %s', (_, occasion) => {
    const preferences = only('assignee', 'role_changed')
    const me = listener([], { watchedRoles: ['assignee'], preferences })
    expect(wantsMail(me, occasion)).toBe(false)
    expect(wantsMail({ ...me, roles: ['assignee'] }, occasion)).toBe(true)
  })
})

describe('a switch', () => {
  test.each([
    [['flags', 'asked'], true],
    [['flags', 'answered'], true],
    [['format', 'new_in_subject'], true],
    [['format', 'html'], false],
  ] as const)('%s is %s by default, and as the account sets it', (name, byDefault) => {
    const [role, event] = name
    expect(isSwitchOn([], ...name)).toBe(byDefault)
    expect(isSwitchOn([[role, event, !byDefault]], ...name)).toBe(!byDefault)
    expect(isSwitchOn([['cc', event, !byDefault]], ...name)).toBe(byDefault)
  })
})
