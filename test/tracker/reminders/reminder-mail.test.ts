import { describe, expect, test } from 'vitest'
import {
  composeReminderMail,
  type ReminderMailContent,
} from '../../../src/tracker/reminders/reminder-mail.ts'

function content(more: Partial<ReminderMailContent> = {}): ReminderMailContent {
  return {
    id: 4,
    note: 'Has it been fixed?',
    createdOn: '2026-11-22',
    remindOn: '2026-12-24',
    bug: { id: 35, summary: 'The lamp is dark', isRestricted: false },
    reader: { id: 9, login: 'ann@example.test' },
    site: { baseUrl: 'https://tracker.test', host: 'tracker.test', headerPrefix: 'X-Tracker-' },
    ...more,
  }
}

describe('the mail of a reminder', () => {
  test('says when it was set, repeats the note, and names the bug with a link', () => {
    expect(composeReminderMail(content())).toEqual({
      to: 'ann@example.test',
      subject: 'Lacewing reminder: [Bug 35] The lamp is dark',
      text: `On 2026-11-22 you asked to be reminded of a bug on 2026-12-24.

Has it been fixed?

Bug 35: The lamp is dark
https://tracker.test/bug/35

This reminder: https://tracker.test/account?tab=reminders#r4

-- 
You get this mail once, because you set a reminder.
Replies to this mail are not read.
`,
      messageId: '<bug-35-9-reminder-4@tracker.test>',
      headers: {
        'X-Tracker-Type': 'reminder',
        'X-Tracker-ID': '35',
        'X-Tracker-URL': 'https://tracker.test',
        'Auto-Submitted': 'auto-generated',
        References: '<bug-35-9@tracker.test>',
        'In-Reply-To': '<bug-35-9@tracker.test>',
      },
    })
  })

  test('shows a mark in place of the summary of a bug that is in a group', () => {
    const bug = { id: 35, summary: 'The vault code', isRestricted: true }
    const mail = composeReminderMail(content({ bug }))
    expect(mail.text).toContain('Bug 35: (secure bug)\n')
    expect(JSON.stringify(mail)).not.toContain('vault')
  })

  test('leaves out an empty note, and links while the service has no address', () => {
    const { text, headers } = composeReminderMail(
      content({ note: '', site: { baseUrl: '', host: 'mail.test', headerPrefix: 'X-Tracker-' } }),
    )
    expect(text.split('\n\n')).toEqual([
      'On 2026-11-22 you asked to be reminded of a bug on 2026-12-24.',
      'Bug 35: The lamp is dark',
      '-- \nYou get this mail once, because you set a reminder.\nReplies to this mail are not read.\n',
    ])
    expect(headers).not.toHaveProperty('X-Tracker-URL')
  })

  test('wraps a long note', () => {
    const { text } = composeReminderMail(content({ note: 'word '.repeat(40) }))
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80)
  })
})
