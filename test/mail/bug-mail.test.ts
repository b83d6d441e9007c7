import { describe, expect, test } from 'vitest'
import { bugMail } from '../../src/mail/bug-mail.ts'
import {
  BULB,
  buildBugNews,
  buildMailedComment,
  STATUS_CHANGE,
} from '../support/worlds/bug-news.ts'

const REQUESTED = { part: 'asked', flag: 'review', status: '?', attachmentId: null } as const
const news = [
  REQUESTED,
  { ...REQUESTED, part: 'informed' as const },
  {
    ...REQUESTED,
    part: 'answered' as const,
    flag: 'approval',
    status: '-' as const,
    attachmentId: 7,
  },
]
const ASKED = 'review requested, approval denied for attachment 7'

describe('the subject', () => {
  test.each([
    ['a change', {}, '[Bug 35] The lamp is dark'],
    ['a new bug', { kind: 'created' as const }, '[Bug 35] New: The lamp is dark'],
    [
      'a summary with line breaks',
      { bug: { ...buildBugNews().bug, summary: 'dark\r\nBcc: all@example.test' } },
      '[Bug 35] dark Bcc: all@example.test',
    ],
    [
      'flags that are asked and answered',
      { flagNews: news },
      `[Bug 35] ${ASKED}: The lamp is dark`,
    ],
    [
      'a new bug with a flag that is asked',
      { kind: 'created' as const, flagNews: news.slice(0, 1) },
      '[Bug 35] New, review requested: The lamp is dark',
    ],
  ])('of %s', (_, more, subject) => {
    expect(bugMail(buildBugNews(more)).subject).toBe(subject)
  })
})

describe('the text', () => {
  test('of a change is link, who, table, comments, referenced bugs, and why one gets it', () => {
    const { to, text } = bugMail(
      buildBugNews({
        changes: [
          STATUS_CHANGE,
          { field: 'cc', label: 'CC', removed: '', added: 'di@example.test' },
        ],
        comments: [buildMailedComment()],
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

  test('ends with what flags are to who has no other part in the bug', () => {
    const reader = { ...buildBugNews().reader, reasons: [] }
    const mail = bugMail(buildBugNews({ reader, flagNews: news }))
    expect(mail.text).toContain(
      'your part in the bug: asked for a flag, informed of a kind of flag, requester of a flag.\n',
    )
    expect(mail.headers).toMatchObject({ 'X-Tracker-Type': 'request', 'X-Tracker-Reason': 'None' })
  })

  test('of a new bug names its flags and their requestees', () => {
    const flags = [
      { name: 'review', status: '?', requestee: 'ann@example.test' },
      { name: 'qe', status: '+', requestee: null },
    ]
    const { text } = bugMail(
      buildBugNews({ kind: 'created', bug: { ...buildBugNews().bug, flags } }),
    )
    expect(text).toContain('              Flags: review?(ann@example.test), qe+\n')
  })

  test('of a new bug is its values that are not empty, and the description without a head', () => {
    const { text } = bugMail(
      buildBugNews({ kind: 'created', comments: [buildMailedComment({ number: 0 })] }),
    )
    expect(text).toContain('             Bug ID: 35\n            Summary: The lamp is dark\n')
    expect(text).toContain('                 CC: cy@example.test, di@example.test\n')
    expect(text).not.toMatch(/Resolution|QA Contact|Keywords|Comment #|changed:/)
    expect(text).toContain('\n\nLet there be light.\n\n-- \n')
  })

  test('of a comment alone has no table', () => {
    const { text } = bugMail(buildBugNews({ comments: [buildMailedComment()] }))
    expect(text).not.toMatch(/What|changed:/)
    expect(text).toContain('--- Comment #3 from')
  })

  test.each([
    ['plain', {}, 'Let there be light.'],
    [
      'attachment_created',
      BULB,
      'Created attachment 7\n  --> https://tracker.test/attachment/7\nnew bulb\n\nLet there be light.',
    ],
    [
      'attachment_created',
      { ...BULB, body: '' },
      'Created attachment 7\n  --> https://tracker.test/attachment/7\nnew bulb',
    ],
    [
      'attachment_updated',
      BULB,
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
    const { text } = bugMail(buildBugNews({ comments: [buildMailedComment({ kind, ...more })] }))
    expect(text).toContain(` ---\n${words}\n\n-- \n`)
  })

  test('wraps what people wrote at 80 characters and leaves quotes whole', () => {
    const line = 'word '.repeat(30).trim()
    const { text } = bugMail(
      buildBugNews({ comments: [buildMailedComment({ body: `${line}\n> ${line}` })] }),
    )
    const lines = text.split('\n')
    expect(lines).toContain(`> ${line}`)
    expect(lines.filter((each) => each.startsWith('word')).length).toBeGreaterThan(1)
    expect(lines.filter((each) => !each.startsWith('>')).every((each) => each.length <= 85)).toBe(
      true,
    )
  })

  test('has no links where the service does not know its address', () => {
    const { text, headers } = bugMail(
      buildBugNews({
        site: { baseUrl: '', host: 'mail.test' },
        comments: [buildMailedComment({ kind: 'attachment_created', ...BULB })],
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
    expect(bugMail(buildBugNews({ author, changes: [STATUS_CHANGE] })).text).toContain(
      '\njane@example.test changed:',
    )
  })
})
