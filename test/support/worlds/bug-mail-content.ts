import type {
  BugMailContent,
  MailedComment,
  MailReader,
} from '../../../src/tracker/bug-mail/content.ts'

const AT = Date.UTC(2026, 10, 21, 12, 30, 5) / 1000

export const STOP_URL = 'https://tracker.test/unsubscribe?token=of-ann'

/** The last lines of a mail. */
export const EXITS = `Stop mail about this bug: ${STOP_URL}
Choose which mail you get: https://tracker.test/account?tab=mail
Replies to this mail are not read.
`

/** The content of a mail about a change to one reader. */
export function bugMailContent(more: Partial<BugMailContent> = {}): BugMailContent {
  return {
    occasion: 'changed',
    noticeId: 4,
    happenedAt: AT,
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
      flags: [],
    },
    blocker: null,
    author: { login: 'jane@example.test', name: 'Jane Roe' },
    changes: [],
    attachmentIds: [],
    flagNews: [],
    comments: [],
    referenced: [],
    reader: mailReader({ reasons: ['AssignedTo', 'CC'] }),
    site: { baseUrl: 'https://tracker.test', host: 'tracker.test', headerPrefix: 'X-Tracker-' },
    ...more,
  }
}

/** A reader with the default preferences and no part in the bug. */
export function mailReader(more: Partial<MailReader> = {}): MailReader {
  return {
    id: 9,
    login: 'ann@example.test',
    reasons: [],
    watched: [],
    unsubscription: { label: 'Stop mail about this bug', url: STOP_URL },
    wantsHtml: false,
    wantsNewInSubject: true,
    ...more,
  }
}

export function comment(more: Partial<MailedComment> = {}): MailedComment {
  return {
    number: 3,
    author: { login: 'jane@example.test', name: 'Jane Roe' },
    at: AT,
    body: 'Let there be light.',
    html: null,
    kind: 'plain',
    attachmentId: null,
    attachmentSummary: null,
    relatedBugId: null,
    ...more,
  }
}

export const status = { field: 'status', label: 'Status', removed: 'CONFIRMED', added: 'RESOLVED' }
export const bulb = { attachmentId: 7, attachmentSummary: 'new bulb' }
