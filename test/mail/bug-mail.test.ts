import { describe, expect, test } from 'vitest'
import { bugMail } from '../../src/mail/bug-mail.ts'
import type { BugTold, MailedComment } from '../../src/mail/told.ts'

const AT = Date.UTC(2026, 10, 21, 12, 30, 5) / 1000

function told(more: Partial<BugTold> = {}): BugTold {
  return {
    kind: 'changed',
    bug: {
      id: 35,
      summary: 'The lamp is dark',
      classification: 'Unclassified',
      product: 'Lamps',
      component: 'Bulb',
      version: '1.0',
      milestone: '---',
      status: 'CONFIRMED',
      resolution: '',
      type: 'defect',
      priority: 'P1',
      severity: 'S2',
      platform: 'Other',
      opSys: 'Linux',
      url: '',
      assignedTo: 'ann@example.test',
      reporter: 'rob@example.test',
      qaContact: null,
      cc: 'cy@example.test, di@example.test',
      keywords: '',
    },
    author: { login: 'jane@example.test', name: 'Jane Roe' },
    changes: [],
    attachmentIds: [],
    comments: [],
    referenced: [],
    reader: { id: 9, login: 'ann@example.test', reasons: ['AssignedTo', 'CC'] },
    site: { baseUrl: 'https://tracker.test', host: 'tracker.test' },
    ...more,
  }
}

function comment(more: Partial<MailedComment> = {}): MailedComment {
  return {
    number: 3,
    author: { login: 'jane@example.test', name: 'Jane Roe' },
    at: AT,
    body: 'Let there be light.',
    kind: 'plain',
    attachmentId: null,
    attachmentSummary: null,
    relatedBugId: null,
    ...more,
  }
}

const status = { field: 'status', label: 'Status', removed: 'CONFIRMED', added: 'RESOLVED' }
const bulb = { attachmentId: 7, attachmentSummary: 'new bulb' }

describe('the subject', () => {
  test.each([
    ['a change', {}, '[Bug 35] The lamp is dark'],
    ['a new bug', { kind: 'created' as const }, '[Bug 35] New: The lamp is dark'],
    [
      'a summary with line breaks',
      { bug: { ...told().bug, summary: 'dark\r\nBcc: all@example.test' } },
      '[Bug 35] dark Bcc: all@example.test',
    ],
  ])('of %s', (_, more, subject) => {
    expect(bugMail(told(more)).subject).toBe(subject)
  })
})

describe('the text', () => {
  test('of a change is link, who, table, comments, referenced bugs, and why one gets it', () => {
    const { to, text } = bugMail(
      told({
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
Let there be light.

Referenced Bugs:

https://tracker.test/bug/12
[Bug 12] The fuse

-- 
You get this mail because of your part in the bug: assignee, member of the CC list.
`,
    )
  })

  test('of a new bug is its values that are not empty, and the description without a head', () => {
    const { text } = bugMail(told({ kind: 'created', comments: [comment({ number: 0 })] }))
    expect(text).toContain('             Bug ID: 35\n            Summary: The lamp is dark\n')
    expect(text).toContain('                 CC: cy@example.test, di@example.test\n')
    expect(text).not.toMatch(/Resolution|QA Contact|Keywords|Comment #|changed:/)
    expect(text).toContain('\n\nLet there be light.\n\n-- \n')
  })

  test('of a comment alone has no table', () => {
    const { text } = bugMail(told({ comments: [comment()] }))
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
  ] as const)('of a comment of kind %s, in case %#, has its lead-in', (kind, more, words) => {
    const { text } = bugMail(told({ comments: [comment({ kind, ...more })] }))
    expect(text).toContain(` ---\n${words}\n\n-- \n`)
  })

  test('wraps what people wrote at 80 characters and leaves quotes whole', () => {
    const line = 'word '.repeat(30).trim()
    const { text } = bugMail(told({ comments: [comment({ body: `${line}\n> ${line}` })] }))
    const lines = text.split('\n')
    expect(lines).toContain(`> ${line}`)
    expect(lines.filter((each) => each.startsWith('word')).length).toBeGreaterThan(1)
    expect(lines.filter((each) => !each.startsWith('>')).every((each) => each.length <= 85)).toBe(
      true,
    )
  })

  test('has no links where the service does not know its address', () => {
    const { text, headers } = bugMail(
      told({
        site: { baseUrl: '', host: 'mail.test' },
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

  test('names somebody without a real name by login', () => {
    const author = { login: 'jane@example.test', name: '' }
    expect(bugMail(told({ author, changes: [status] })).text).toContain(
      '\njane@example.test changed:',
    )
  })
})

describe('the headers', () => {
  test('of a change tell filters what it is about', () => {
    const { headers } = bugMail(
      told({
        changes: [status, { ...status, removed: 'a' }],
        comments: [comment({ kind: 'attachment_created', ...bulb })],
        attachmentIds: [7],
      }),
    )
    expect(headers).toEqual({
      'X-Tracker-Type': 'changed',
      'X-Tracker-Reason': 'AssignedTo CC',
      'X-Tracker-Watch-Reason': 'None',
      'X-Tracker-Changed-Fields': 'Status, Comment Created, Attachment Created',
      'X-Tracker-Changed-Field-Names': 'status comment attachment.created',
      'X-Tracker-ID': '35',
      'X-Tracker-Classification': 'Unclassified',
      'X-Tracker-Product': 'Lamps',
      'X-Tracker-Component': 'Bulb',
      'X-Tracker-Version': '1.0',
      'X-Tracker-Bug-Type': 'defect',
      'X-Tracker-Severity': 'S2',
      'X-Tracker-Priority': 'P1',
      'X-Tracker-Status': 'CONFIRMED',
      'X-Tracker-Assigned-To': 'ann@example.test',
      'X-Tracker-Target-Milestone': '---',
      'X-Tracker-OS': 'Linux',
      'X-Tracker-Who': 'jane@example.test',
      'X-Tracker-Attach-ID': '7',
      'X-Tracker-URL': 'https://tracker.test',
      'Auto-Submitted': 'auto-generated',
      References: '<bug-35-9@tracker.test>',
      'In-Reply-To': '<bug-35-9@tracker.test>',
    })
  })

  test('of a new bug begin the thread, and say nothing of changed fields', () => {
    const { headers } = bugMail(told({ kind: 'created', comments: [comment({ number: 0 })] }))
    expect(headers['X-Tracker-Type']).toBe('new')
    expect(headers.References).toBe('<bug-35-9@tracker.test>')
    expect(Object.keys(headers)).not.toContain('In-Reply-To')
    expect(Object.keys(headers).join()).not.toContain('Changed')
  })

  test('each reader has a thread of their own for each bug', () => {
    const reader = { id: 10, login: 'cy@example.test', reasons: ['CC'] }
    expect(bugMail(told({ reader })).headers.References).toBe('<bug-35-10@tracker.test>')
  })

  test('are never empty, never broken over lines, and never longer than the mail service takes', () => {
    const bug = { ...told().bug, product: 'La\r\nmps', component: '💡'.repeat(1000) }
    const { headers } = bugMail(told({ bug }))
    for (const value of Object.values(headers)) {
      expect(value).not.toMatch(/^\s*$|[\r\n]/)
      expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(2048)
      expect(value.isWellFormed()).toBe(true)
      expect(value).not.toContain('\ufffd')
    }
    expect(headers['X-Tracker-Product']).toBe('La mps')
  })
})
