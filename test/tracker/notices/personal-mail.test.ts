import { beforeEach, describe, expect, test } from 'vitest'
import { loadChanges } from '../../../src/tracker/notices/load-changes.ts'
import { composePersonalMails } from '../../../src/tracker/notices/personal-mail.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { setMailPreference, watchPerson } from '../../support/builders/watches.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

let author: TestPerson
let reader: TestPerson
let about: TestBug

beforeEach(async () => {
  ;[author, reader] = [await insertPerson(), await insertPerson()]
  about = await insertBug({ reporter: author, assignee: reader })
})

/** The mail about a new bug or a comment for the reader. */
async function compose(
  kind: 'created' | 'changed',
  vars = {},
  isMarkdown = true,
  body = 'Hello <b> **you**.',
) {
  const id = await insertNotice(about, author, { kind })
  await insertComment(about, author, { noticeId: id, body, isMarkdown })
  const ctx = buildMailService(vars).ctx()
  const notice = { id, bugId: about.id, authorId: author.id, kind, happenedAt: NOW, isMinor: false }
  const [change] = await loadChanges(ctx, [notice])
  const recipient = change?.recipients.find(({ person }) => person.id === reader.id)
  if (change === undefined || recipient === undefined) {
    throw new Error('the reader is no recipient')
  }
  const [mail] = composePersonalMails(ctx, change, recipient)
  return { id, mail, trips: ctx.session.cost.trips }
}

describe('the mail of one recipient', () => {
  test('has the form that the recipient prefers', async () => {
    const { mail: before } = await compose('created')
    expect(before?.subject).toContain('] New: ')
    expect(before).not.toHaveProperty('html')
    await setMailPreference(reader, 'format', 'html', true)
    await setMailPreference(reader, 'format', 'new_in_subject', false)
    const { mail } = await compose('created')
    expect(mail?.subject).not.toContain('New')
    expect(mail?.html).toContain('<p>Hello &lt;b&gt; <strong>you</strong>.</p>')
    expect(mail?.text).toContain('Hello <b> **you**.')
  })

  test('shows a comment that is no Markdown as it was written', async () => {
    await setMailPreference(reader, 'format', 'html', true)
    const { mail } = await compose('changed', {}, false)
    expect(mail?.html).toContain('Hello &lt;b&gt; **you**.')
  })

  test('begins the headers with the prefix of the site', async () => {
    const { mail } = await compose('changed', { MAIL_HEADER_PREFIX: 'X-Lamps-' })
    expect(mail?.headers).toMatchObject({ 'X-Lamps-Reason': 'AssignedTo' })
  })

  test('has a message ID of its thread that every attempt repeats, and the time of the change', async () => {
    const thread = `bug-${about.id}-${reader.id}`
    expect((await compose('created')).mail).toMatchObject({
      messageId: `<${thread}@tracker.test>`,
      date: NOW,
    })
    const { id, mail } = await compose('changed')
    expect(mail?.messageId).toBe(`<${thread}-notice-${id}@tracker.test>`)
    expect(mail?.headers).toMatchObject({
      References: `<${thread}@tracker.test>`,
      'In-Reply-To': `<${thread}@tracker.test>`,
    })
  })

  test('names each role of each watched person once, in the order of roles', async () => {
    const second = await insertPerson()
    about = await insertBug({ reporter: author, assignee: second, cc: [second, reader, author] })
    await watchPerson(reader, second)
    await watchPerson(reader, author)
    const { mail } = await compose('changed')
    expect(mail?.headers['X-Tracker-Reason']).toBe('CC')
    expect(mail?.headers['X-Tracker-Watch-Reason']).toBe(
      `AssignedTo Reporter CC ${second.login} ${author.login}`,
    )
  })

  test('is none when the recipient wants none', async () => {
    await setMailPreference(reader, 'assignee', 'comment', false)
    expect((await compose('changed')).mail).toBeUndefined()
  })
})

describe('a comment in HTML', () => {
  const HIDDEN = ['hidden summary', 'private file', 'file of a hidden bug']
  let hidden: TestBug
  let text: string

  beforeEach(async () => {
    await setMailPreference(reader, 'format', 'html', true)
    const seen = await insertBug({ summary: 'Seen <summary>', status: 'RESOLVED' })
    hidden = await insertBug({ summary: 'hidden summary', groups: [await insertGroup()] })
    const [open, own, secret, lost] = [
      await insertAttachment(seen, author, { summary: 'open file' }),
      await insertAttachment(seen, reader, { summary: 'own file', isPrivate: true }),
      await insertAttachment(seen, author, { summary: 'private file', isPrivate: true }),
      await insertAttachment(hidden, author, { summary: 'file of a hidden bug' }),
    ]
    text = `See bug ${seen.id} comment 3, bug ${hidden.id}, https://tracker.test/bug/${hidden.id}, comment 0, ${[open, own, secret, lost].map((id) => `attachment ${id}`).join(', ')}.`
  })

  test.each([true, false])('links what its reader sees, as pages do; Markdown: %s', async (is) => {
    const { mail, trips } = await compose('changed', {}, is, text)
    const [, bug, , attachment = ''] = /bug (\d+).*?bug (\d+).*?attachment (\d+)/.exec(text) ?? []
    expect(mail?.html).toContain(
      `<a href="https://tracker.test/bug/${bug}#c3" class="bug-link status-RESOLVED closed" title="RESOLVED - Seen &lt;summary&gt;">bug ${bug} comment 3</a>`,
    )
    expect(mail?.html).toContain(`<a href="https://tracker.test/bug/${about.id}#c0">comment 0</a>`)
    expect(mail?.html).toContain(`<a href="https://tracker.test/attachment/${attachment}" `)
    expect(mail?.html).toContain('title="own file"')
    expect(mail?.html).toContain(`bug ${hidden.id}, <a `)
    expect(HIDDEN.filter((summary) => mail?.html?.includes(summary))).toEqual([])
    expect(trips).toBe(2)
  })

  test('links what each of its readers sees', async () => {
    const group = await insertGroup([reader])
    const shared = await insertBug({ summary: 'For some', groups: [group] })
    const other = await insertPerson()
    await setMailPreference(other, 'format', 'html', true)
    about = await insertBug({ reporter: author, assignee: reader, cc: [other] })
    const id = await insertNotice(about, author)
    await insertComment(about, author, { noticeId: id, body: `As bug ${shared.id}.` })
    const box = buildMailService()
    await deliverNotice(box.ctx(), id)
    expect(box.mailTo(reader.login)?.html).toContain(`title="CONFIRMED - For some"`)
    expect(box.mailTo(other.login)?.html).toContain(`As bug ${shared.id}.`)
  })

  test('has no links where the service does not know its address', async () => {
    const { mail, trips } = await compose('changed', { BASE_URL: '' }, true, text)
    expect(mail?.html).not.toContain('href="/')
    expect(mail?.html).not.toContain('title=')
    expect(trips).toBe(1)
  })

  test('that refers to nothing costs no further round trip', async () => {
    expect((await compose('changed')).trips).toBe(1)
  })
})
