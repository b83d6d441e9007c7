import { LINE_WIDTH, REPLIES_UNREAD, toOneLine, wrapText } from '../../platform/mail/layout.ts'
import type { Mail } from '../../platform/mail/send.ts'
import { buildThreadMessageId, buildThreadRoot } from '../../platform/mail/thread.ts'
import { formatTrackerHeaders } from '../bug-mail/headers.ts'

/** In the place of the summary of a bug in a group, because mail is read and forwarded in the open. */
const SECURE_BUG_MARK = '(secure bug)'

export type ReminderMailContent = {
  readonly id: number
  readonly note: string
  /** `YYYY-MM-DD`, as is `remindOn`. */
  readonly createdOn: string
  readonly remindOn: string
  readonly bug: { readonly id: number; readonly summary: string; readonly isRestricted: boolean }
  readonly reader: { readonly id: number; readonly login: string }
  /** An empty `baseUrl` leaves links out; `host` is part of the name of the thread. */
  readonly site: {
    readonly baseUrl: string
    readonly host: string
    readonly headerPrefix: string
  }
}

export function composeReminderMail(content: ReminderMailContent): Mail {
  const { bug, reader, site } = content
  const thread = { bugId: bug.id, readerId: reader.id, host: site.host }
  const root = buildThreadRoot(thread)
  return {
    to: reader.login,
    subject: toOneLine(`Lacewing reminder: [Bug ${bug.id}] ${showSummary(bug)}`),
    text: formatText(content),
    messageId: buildThreadMessageId(thread, 'reminder', content.id),
    headers: {
      ...formatTrackerHeaders(
        { Type: 'reminder', ID: String(bug.id), URL: site.baseUrl },
        site.headerPrefix,
      ),
      'Auto-Submitted': 'auto-generated',
      References: root,
      'In-Reply-To': root,
    },
  }
}

function showSummary({ summary, isRestricted }: ReminderMailContent['bug']): string {
  return isRestricted ? SECURE_BUG_MARK : summary
}

function formatText({ id, note, createdOn, remindOn, bug, site }: ReminderMailContent): string {
  const links = site.baseUrl !== ''
  const sections = [
    `On ${createdOn} you asked to be reminded of a bug on ${remindOn}.`,
    wrapText(note, LINE_WIDTH),
    `Bug ${bug.id}: ${showSummary(bug)}${links ? `\n${site.baseUrl}/bug/${bug.id}` : ''}`,
    links ? `This reminder: ${site.baseUrl}/account?tab=reminders#r${id}` : '',
    `-- \nYou get this mail once, because you set a reminder.\n${REPLIES_UNREAD}`,
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}
