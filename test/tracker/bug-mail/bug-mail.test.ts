import { describe, expect, test } from 'vitest'
import { composeBugMail } from '../../../src/tracker/bug-mail/bug-mail.ts'
import {
  bugMailContent,
  bulb,
  comment,
  EXITS,
  mailReader,
  status,
} from '../../support/worlds/bug-mail-content.ts'

const requested = { part: 'asked', flag: 'review', status: '?', attachmentId: null } as const
const flagNews = [
  requested,
  { ...requested, part: 'informed' as const },
  {
    ...requested,
    part: 'answered' as const,
    flag: 'approval',
    status: '-' as const,
    attachmentId: 7,
  },
]
const NEWS_TEXT = 'review requested, approval denied for attachment 7'

describe('the subject of a mail', () => {
  test.each([
    ['a change', {}, '[Bug 35] The lamp is dark'],
    ['a new bug', { occasion: 'created' as const }, '[Bug 35] New: The lamp is dark'],
    [
      'a summary with line breaks',
      { bug: { ...bugMailContent().bug, summary: 'dark\r\nBcc: all@example.test' } },
      '[Bug 35] dark Bcc: all@example.test',
    ],
    ['requested and answered flags', { flagNews }, `[Bug 35] ${NEWS_TEXT}: The lamp is dark`],
    [
      'a new bug with a requested flag',
      { occasion: 'created' as const, flagNews: flagNews.slice(0, 1) },
      '[Bug 35] New, review requested: The lamp is dark',
    ],
  ])('is right for %s', (_, more, subject) => {
    expect(composeBugMail(bugMailContent(more)).subject).toBe(subject)
  })

  test('does not mark a new bug for a reader who wants no mark', () => {
    const reader = mailReader({ wantsNewInSubject: false })
    const subjectOf = (more: object) =>
      composeBugMail(bugMailContent({ occasion: 'created', reader, ...more })).subject
    expect(subjectOf({})).toBe('[Bug 35] The lamp is dark')
    expect(subjectOf({ flagNews: flagNews.slice(0, 1) })).toBe(
      '[Bug 35] review requested: The lamp is dark',
    )
  })
})

describe('the text of a mail', () => {
  test('has link, author, table of changes, comments, referenced bugs and reasons', () => {
    const { to, text } = composeBugMail(
      bugMailContent({
        changes: [status, { field: 'cc', label: 'CC', removed: '', added: 'di@example.test' }],
        comments: [comment()],
        referenced: [{ id: 12, summary: 'The fuse' }],
      }),
    )
    expect(to).toBe('ann@example.test')
    expect(text).toBe(
      `https://tracker.test/bug/35

Jane Roe <jane@example.test> changed:

           What    |Removed                     |Added
-----------------------------------------------------------------------------
             Status|CONFIRMED                   |RESOLVED
                 CC|                            |di@example.test

--- Comment #3 from Jane Roe <jane@example.test> 2026-11-21T12:30:05Z ---
https://tracker.test/bug/35#c3
Let there be light.

Referenced Bugs:

https://tracker.test/bug/12
[Bug 12] The fuse

-- 
You get this mail because of your part in the bug: assignee, member of the CC list.
${EXITS}`,
    )
  })

  test('ends with the flags as reasons for a reader without a role on the bug', () => {
    const reader = mailReader()
    const mail = composeBugMail(bugMailContent({ reader, flagNews }))
    expect(mail.text).toContain(
      'your part in the bug: asked for a flag, informed of a kind of flag, requester of a flag.\n',
    )
    expect(mail.headers).toMatchObject({ 'X-Tracker-Type': 'request', 'X-Tracker-Reason': 'None' })
  })

  test('ends with whom the reader watches, apart from roles of the reader', () => {
    const watched = [{ reason: 'Reporter', login: 'bob@example.test' }]
    const footerOf = (reasons: string[]) =>
      composeBugMail(bugMailContent({ reader: mailReader({ reasons, watched }) })).text.split(
        '-- \n',
      )[1]
    const watches = `You get this mail because you watch people with a part in the bug: bob@example.test (reporter).\n${EXITS}`
    expect(footerOf([])).toBe(watches)
    expect(footerOf(['Component-Watcher', 'GlobalWatcher'])).toBe(
      `You get this mail because of your part in the bug: watcher of its component or product, watcher of all bugs.\n${watches}`,
    )
  })

  test('names the flags of a new bug with their requestees', () => {
    const flags = [
      { name: 'review', status: '?', requestee: 'ann@example.test' },
      { name: 'qe', status: '+', requestee: null },
    ]
    const { text } = composeBugMail(
      bugMailContent({ occasion: 'created', bug: { ...bugMailContent().bug, flags } }),
    )
    expect(text).toContain('              Flags: review?(ann@example.test), qe+\n')
  })

  test('lists the values of a new bug that are not empty, and its description without a head', () => {
    const { text } = composeBugMail(
      bugMailContent({ occasion: 'created', comments: [comment({ number: 0 })] }),
    )
    expect(text).toContain('             Bug ID: 35\n            Summary: The lamp is dark\n')
    expect(text).toContain('                 CC: cy@example.test, di@example.test\n')
    expect(text).not.toMatch(/Resolution|QA Contact|Keywords|Comment #|changed:/)
    expect(text).toContain('\n\nLet there be light.\n\n-- \n')
  })

  test('has no table for a comment alone', () => {
    const { text } = composeBugMail(bugMailContent({ comments: [comment()] }))
    expect(text).not.toMatch(/What|changed:/)
    expect(text).toContain('--- Comment #3 from')
  })

  test.each([
    ['plain', {}, 'Let there be light.'],
    [
      'attachment_created',
      bulb,
      'Created attachment 7\n  --> https://tracker.test/attachment/7\nnew bulb\n\nLet there be light.',
    ],
    [
      'attachment_created',
      { ...bulb, body: '' },
      'Created attachment 7\n  --> https://tracker.test/attachment/7\nnew bulb',
    ],
    [
      'attachment_updated',
      bulb,
      'Comment on attachment 7\n  --> https://tracker.test/attachment/7\nnew bulb\n\nLet there be light.',
    ],
    [
      'duplicate_of',
      { relatedBugId: 12 },
      'Let there be light.\n\n*** This bug has been marked as a duplicate of bug 12 ***',
    ],
    [
      'has_duplicate',
      { relatedBugId: 12, body: '' },
      '*** Bug 12 has been marked as a duplicate of this bug. ***',
    ],
  ] as const)(
    'adds the lines of its kind to a comment of kind %s (case %#)',
    (kind, more, words) => {
      const { text } = composeBugMail(bugMailContent({ comments: [comment({ kind, ...more })] }))
      expect(text).toContain(` ---\nhttps://tracker.test/bug/35#c3\n${words}\n\n-- \n`)
    },
  )

  test('wraps comments at 80 characters and keeps quoted lines whole', () => {
    const line = 'word '.repeat(30).trim()
    const { text } = composeBugMail(
      bugMailContent({ comments: [comment({ body: `${line}\n> ${line}` })] }),
    )
    const lines = text.split('\n')
    expect(lines).toContain(`> ${line}`)
    expect(lines.filter((each) => each.startsWith('word')).length).toBeGreaterThan(1)
    expect(lines.filter((each) => !each.startsWith('>')).every((each) => each.length <= 85)).toBe(
      true,
    )
  })

  test('has no links without a base URL', () => {
    const { text, headers } = composeBugMail(
      bugMailContent({
        site: { ...bugMailContent().site, baseUrl: '', host: 'mail.test' },
        reader: mailReader({ unsubscription: null }),
        comments: [comment({ kind: 'attachment_created', ...bulb })],
        referenced: [{ id: 12, summary: 'The fuse' }],
      }),
    )
    expect(text).not.toMatch(/https?:|\/bug\/|\/attachment\//)
    expect(text.startsWith('--- Comment')).toBe(true)
    expect(text).toContain('[Bug 12] The fuse')
    expect(headers).not.toHaveProperty('X-Tracker-URL')
    expect(headers.References).toBe('<bug-35-9@mail.test>')
  })

  test('names a person without a real name by login', () => {
    const author = { login: 'jane@example.test', name: '' }
    expect(composeBugMail(bugMailContent({ author, changes: [status] })).text).toContain(
      '\njane@example.test changed:',
    )
  })
})
