import { describe, expect, test } from 'vitest'
import { composeBugMail } from '../../../src/tracker/bug-mail/bug-mail.ts'
import {
  bugMailContent,
  bulb,
  comment,
  mailReader,
  STOP_URL,
  status,
} from '../../support/worlds/bug-mail-content.ts'

describe('the headers of a mail', () => {
  test('describe the bug and its changes for filters', () => {
    const { headers } = composeBugMail(
      bugMailContent({
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
      'List-Id': '<bulb.lamps.tracker.test>',
      'List-Unsubscribe': `<${STOP_URL}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      References: '<bug-35-9@tracker.test>',
      'In-Reply-To': '<bug-35-9@tracker.test>',
    })
  })

  test.each([
    ['Lamps', 'Bulb & "Socket"', '<bulb-socket.lamps.tracker.test>'],
    ['Örtliche Lampen', 'Birne', '<birne.xn--rtliche-lampen-upb.tracker.test>'],
    ['ランプ', '---', '<other.xn--udk9a4a.tracker.test>'],
    ['a'.repeat(150), 'Bulb', `<bulb.${'a'.repeat(60)}.tracker.test>`],
  ])('name the component as a list: %s, %s', (product, component, listId) => {
    const bug = { ...bugMailContent().bug, product, component }
    expect(composeBugMail(bugMailContent({ bug })).headers['List-Id']).toBe(listId)
  })

  test('begin the thread of a new bug and name no changed fields', () => {
    const { headers } = composeBugMail(
      bugMailContent({ occasion: 'created', comments: [comment({ number: 0 })] }),
    )
    expect(headers['X-Tracker-Type']).toBe('new')
    expect(headers.References).toBe('<bug-35-9@tracker.test>')
    expect(Object.keys(headers)).not.toContain('In-Reply-To')
    expect(Object.keys(headers).join()).not.toContain('Changed')
  })

  test('name the flags of the bug with their status', () => {
    const flags = [
      { name: 'review', status: '?', requestee: 'ann@example.test' },
      { name: 'qe-verify', status: '+', requestee: null },
    ]
    const { headers } = composeBugMail(bugMailContent({ bug: { ...bugMailContent().bug, flags } }))
    expect(headers['X-Tracker-Flags']).toBe('review?, qe-verify+')
  })

  test('have a thread for each reader and bug', () => {
    const reader = mailReader({ id: 10 })
    expect(composeBugMail(bugMailContent({ reader })).headers.References).toBe(
      '<bug-35-10@tracker.test>',
    )
  })

  test('are not empty, have one line and stay within the limit of the mail service', () => {
    const bug = { ...bugMailContent().bug, product: 'La\r\nmps', component: '💡'.repeat(1000) }
    const { headers } = composeBugMail(bugMailContent({ bug }))
    for (const value of Object.values(headers)) {
      expect(value).not.toMatch(/^\s*$|[\r\n]/)
      expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(2048)
      expect(value.isWellFormed()).toBe(true)
      expect(value).not.toContain('\ufffd')
    }
    expect(headers['X-Tracker-Product']).toBe('La mps')
  })

  test('name the roles that the reader watches, and behind them who has them', () => {
    const watched = [
      { reason: 'AssignedTo', login: 'bob@example.test' },
      { reason: 'CC', login: 'bob@example.test' },
      { reason: 'CC', login: 'eve@example.test' },
    ]
    const { headers } = composeBugMail(bugMailContent({ reader: mailReader({ watched }) }))
    expect(headers).toMatchObject({
      'X-Tracker-Reason': 'None',
      'X-Tracker-Watch-Reason': 'AssignedTo CC bob@example.test eve@example.test',
    })
  })

  test('have the type of what the reader sees', () => {
    const typeOf = (occasion: 'created' | 'changed' | 'dep_changed') =>
      composeBugMail(bugMailContent({ occasion })).headers['X-Tracker-Type']
    expect([typeOf('created'), typeOf('changed'), typeOf('dep_changed')]).toEqual([
      'new',
      'changed',
      'dep_changed',
    ])
  })

  test('begin with the prefix of the site', () => {
    const site = { ...bugMailContent().site, headerPrefix: 'X-Lamps-' }
    const names = Object.keys(composeBugMail(bugMailContent({ site })).headers)
    expect(names.filter((name) => name.startsWith('X-Tracker-'))).toEqual([])
    expect(names).toContain('X-Lamps-Watch-Reason')
  })
})
