import { toDatetime } from '../lib/time.ts'
import { buildBugHeaders } from './bug-headers.ts'
import type {
  BugMailContent,
  FlagNews,
  MailedComment,
  MailedFlag,
  MailedPerson,
} from './bug-mail-content.ts'
import {
  formatField,
  formatTableRow,
  LINE_WIDTH,
  TABLE_RULE,
  toOneLine,
  wrapText,
} from './layout.ts'
import type { Mail } from './send.ts'
import { buildThreadMessageId, buildThreadRoot } from './thread.ts'

const ROLE_BY_REASON: Readonly<Record<string, string>> = {
  AssignedTo: 'assignee',
  Reporter: 'reporter',
  QAcontact: 'QA contact',
  CC: 'member of the CC list',
  Blocked: 'somebody concerned with a bug that it blocks',
}

const FLAG_ACTIONS: Readonly<Record<FlagNews['status'], string>> = {
  '?': 'requested',
  '+': 'granted',
  '-': 'denied',
  X: 'cleared',
}

const FLAG_PARTS: Readonly<Record<FlagNews['part'], string>> = {
  asked: 'asked for a flag',
  answered: 'requester of a flag',
  informed: 'informed of a kind of flag',
}

/** Writes the mail about a change of a bug to one reader. Reference: notifications.md, "Content of a mail". */
export function composeBugMail(content: BugMailContent): Mail {
  const { bug, reader, site } = content
  const thread = { bugId: bug.id, readerId: reader.id, host: site.host }
  return {
    to: reader.login,
    subject: toOneLine(`[Bug ${bug.id}] ${formatSubjectNews(content)}${bug.summary}`),
    text: formatText(content),
    headers: buildBugHeaders(content),
    messageId:
      content.kind === 'created'
        ? buildThreadRoot(thread)
        : buildThreadMessageId(thread, 'notice', content.noticeId),
    date: content.happenedAt,
  }
}

/** What the subject has ahead of the summary: whether the bug is new, and the reader's flags. */
function formatSubjectNews({ kind, flagNews }: BugMailContent): string {
  const flags = flagNews.map(
    ({ flag, status, attachmentId }) =>
      `${flag} ${FLAG_ACTIONS[status]}${attachmentId === null ? '' : ` for attachment ${attachmentId}`}`,
  )
  const news = new Set([...(kind === 'created' ? ['New'] : []), ...flags])
  return news.size === 0 ? '' : `${[...news].join(', ')}: `
}

function formatText(content: BugMailContent): string {
  const { bug, site } = content
  const sections = [
    site.baseUrl === '' ? '' : buildBugUrl(site.baseUrl, bug.id),
    content.kind === 'created' ? formatNewBug(content) : formatChanges(content),
    ...content.comments.map((comment) => formatComment(comment, content)),
    formatReferencedBugs(content),
    `-- \nYou get this mail because of your part in the bug: ${listReasons(content).join(', ')}.`,
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function listReasons({ reader, flagNews }: BugMailContent): string[] {
  return [
    ...reader.reasons.map((reason) => ROLE_BY_REASON[reason] ?? reason),
    ...new Set(flagNews.map(({ part }) => FLAG_PARTS[part])),
  ]
}

function formatNewBug({ bug }: BugMailContent): string {
  const values: [string, string][] = [
    ['Bug ID', String(bug.id)],
    ['Summary', bug.summary],
    ['Product', bug.product],
    ['Version', bug.version],
    ['Platform', bug.platform],
    ['OS', bug.opSys],
    ['URL', bug.url],
    ['Status', bug.status],
    ['Resolution', bug.resolution],
    ['Type', bug.type],
    ['Keywords', bug.keywords],
    ['Severity', bug.severity],
    ['Priority', bug.priority],
    ['Component', bug.component],
    ['Assignee', bug.assignedTo],
    ['Reporter', bug.reporter],
    ['QA Contact', bug.qaContact ?? ''],
    ['CC', bug.cc],
    ['Target Milestone', bug.milestone],
    ['Flags', bug.flags.map(formatFlag).join(', ')],
  ]
  return values
    .filter(([, value]) => value !== '')
    .map(([label, value]) => formatField(label, value))
    .join('\n')
}

function formatFlag({ name, status, requestee }: MailedFlag): string {
  return `${name}${status}${requestee === null ? '' : `(${requestee})`}`
}

function formatChanges({ author, changes }: BugMailContent): string {
  if (changes.length === 0) {
    return ''
  }
  return [
    `${formatPerson(author)} changed:`,
    '',
    formatTableRow(['What    ', 'Removed', 'Added']),
    TABLE_RULE,
    ...changes.map(({ label, removed, added }) => formatTableRow([label, removed, added])),
  ].join('\n')
}

function formatComment(comment: MailedComment, content: BugMailContent): string {
  const text = [
    formatAttachmentHead(comment, content.site.baseUrl),
    wrapText(comment.body, LINE_WIDTH),
    formatDuplicateLine(comment),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
  if (content.kind === 'created' && comment.number === 0) {
    return text
  }
  const { number, author, at } = comment
  return `--- Comment #${number} from ${formatPerson(author)} ${toDatetime(at)} ---\n${text}`
}

/** The lines ahead of a comment on an attachment. */
function formatAttachmentHead(
  { kind, attachmentId, attachmentSummary }: MailedComment,
  baseUrl: string,
): string {
  if (attachmentId === null || (kind !== 'attachment_created' && kind !== 'attachment_updated')) {
    return ''
  }
  const verb = kind === 'attachment_created' ? 'Created attachment' : 'Comment on attachment'
  const link = baseUrl === '' ? [] : [`  --> ${baseUrl}/attachment/${attachmentId}`]
  return [`${verb} ${attachmentId}`, ...link, attachmentSummary ?? ''].join('\n')
}

function formatDuplicateLine({ kind, relatedBugId }: MailedComment): string {
  if (relatedBugId === null) {
    return ''
  }
  switch (kind) {
    case 'duplicate_of':
      return `*** This bug has been marked as a duplicate of bug ${relatedBugId} ***`
    case 'has_duplicate':
      return `*** Bug ${relatedBugId} has been marked as a duplicate of this bug. ***`
    default:
      return ''
  }
}

function formatReferencedBugs({ referenced, site }: BugMailContent): string {
  if (referenced.length === 0) {
    return ''
  }
  const lines = referenced.flatMap(({ id, summary }) => [
    ...(site.baseUrl === '' ? [] : [buildBugUrl(site.baseUrl, id)]),
    `[Bug ${id}] ${summary}`,
  ])
  return ['Referenced Bugs:', '', ...lines].join('\n')
}

function formatPerson({ login, name }: MailedPerson): string {
  return name === '' ? login : `${name} <${login}>`
}

function buildBugUrl(baseUrl: string, id: number): string {
  return `${baseUrl}/bug/${id}`
}
