import { describe, expect, test } from 'vitest'
import { bugMail } from '../../src/mail/bug-mail.ts'
import {
  BULB,
  buildBugNews,
  buildMailedComment,
  STATUS_CHANGE,
} from '../support/worlds/bug-news.ts'

describe('the headers', () => {
  test('of a change tell filters what it is about', () => {
    const { headers } = bugMail(
      buildBugNews({
        changes: [STATUS_CHANGE, { ...STATUS_CHANGE, removed: 'a' }],
        comments: [buildMailedComment({ kind: 'attachment_created', ...BULB })],
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

  test('of a new bug begin the thread, and name no changed fields', () => {
    const { headers } = bugMail(
      buildBugNews({ kind: 'created', comments: [buildMailedComment({ number: 0 })] }),
    )
    expect(headers['X-Tracker-Type']).toBe('new')
    expect(headers.References).toBe('<bug-35-9@tracker.test>')
    expect(Object.keys(headers)).not.toContain('In-Reply-To')
    expect(Object.keys(headers).join()).not.toContain('Changed')
  })

  test('tell the flags that are set by name and status', () => {
    const flags = [
      { name: 'review', status: '?', requestee: 'ann@example.test' },
      { name: 'qe-verify', status: '+', requestee: null },
    ]
    const { headers } = bugMail(buildBugNews({ bug: { ...buildBugNews().bug, flags } }))
    expect(headers['X-Tracker-Flags']).toBe('review?, qe-verify+')
  })

  test('each reader has a thread of their own for each bug', () => {
    const reader = { id: 10, login: 'cy@example.test', reasons: ['CC'] }
    expect(bugMail(buildBugNews({ reader })).headers.References).toBe('<bug-35-10@tracker.test>')
  })

  test('are never empty, never broken over lines, and never longer than the mail service takes', () => {
    const bug = { ...buildBugNews().bug, product: 'La\r\nmps', component: '💡'.repeat(1000) }
    const { headers } = bugMail(buildBugNews({ bug }))
    for (const value of Object.values(headers)) {
      expect(value).not.toMatch(/^\s*$|[\r\n]/)
      expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(2048)
      expect(value.isWellFormed()).toBe(true)
      expect(value).not.toContain('\ufffd')
    }
    expect(headers['X-Tracker-Product']).toBe('La mps')
  })
})
