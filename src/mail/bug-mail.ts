import { toDatetime } from '../lib/time.ts'
import { bugHeaders } from './bug-headers.ts'
import type { BugNews, FlagNews, MailedComment, MailedFlag, Somebody } from './bug-news.ts'
import { LINE, labelled, oneLine, RULE, tableRow, wrapText } from './layout.ts'
import type { Mail } from './send.ts'

const ROLE_OF_REASON: Readonly<Record<string, string>> = {
  AssignedTo: 'assignee',
  Reporter: 'reporter',
  QAcontact: 'QA contact',
  CC: 'member of the CC list',
  Blocked: 'somebody concerned with a bug that it blocks',
}

const ACTIONS: Readonly<Record<FlagNews['status'], string>> = {
  '?': 'requested',
  '+': 'granted',
  '-': 'denied',
  X: 'cleared',
}

const PARTS: Readonly<Record<FlagNews['part'], string>> = {
  asked: 'asked for a flag',
  answered: 'requester of a flag',
  informed: 'informed of a kind of flag',
}

/** A change of a bug told in words, to one reader. Contract "Events", 2. */
export function bugMail(told: BugNews): Mail {
  const { bug, reader } = told
  return {
    to: reader.login,
    subject: oneLine(`[Bug ${bug.id}] ${newsOf(told)}${bug.summary}`),
    text: textOf(told),
    headers: bugHeaders(told),
  }
}

/** What stands before the summary: that the bug is new, and what becomes of the reader's flags. */
function newsOf({ kind, flagNews }: BugNews): string {
  const flags = flagNews.map(
    ({ flag, status, attachmentId }) =>
      `${flag} ${ACTIONS[status]}${attachmentId === null ? '' : ` for attachment ${attachmentId}`}`,
  )
  const news = new Set([...(kind === 'created' ? ['New'] : []), ...flags])
  return news.size === 0 ? '' : `${[...news].join(', ')}: `
}

function textOf(told: BugNews): string {
  const { bug, site } = told
  const sections = [
    site.baseUrl === '' ? '' : bugLink(site.baseUrl, bug.id),
    told.kind === 'created' ? newBug(told) : changeTable(told),
    ...told.comments.map((comment) => commentText(comment, told)),
    referencedBugs(told),
    `-- \nYou get this mail because of your part in the bug: ${partsOf(told).join(', ')}.`,
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function partsOf({ reader, flagNews }: BugNews): string[] {
  return [
    ...reader.reasons.map((reason) => ROLE_OF_REASON[reason] ?? reason),
    ...new Set(flagNews.map(({ part }) => PARTS[part])),
  ]
}

function newBug({ bug }: BugNews): string {
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
    ['Flags', bug.flags.map(flagWord).join(', ')],
  ]
  return values
    .filter(([, value]) => value !== '')
    .map(([label, value]) => labelled(label, value))
    .join('\n')
}

function flagWord({ name, status, requestee }: MailedFlag): string {
  return `${name}${status}${requestee === null ? '' : `(${requestee})`}`
}

function changeTable({ author, changes }: BugNews): string {
  if (changes.length === 0) {
    return ''
  }
  return [
    `${named(author)} changed:`,
    '',
    tableRow(['What    ', 'Removed', 'Added']),
    RULE,
    ...changes.map(({ label, removed, added }) => tableRow([label, removed, added])),
  ].join('\n')
}

function commentText(comment: MailedComment, told: BugNews): string {
  const text = [leadIn(comment, told.site.baseUrl), wrapText(comment.body, LINE), trailer(comment)]
    .filter((part) => part !== '')
    .join('\n\n')
  if (told.kind === 'created' && comment.number === 0) {
    return text
  }
  const { number, author, at } = comment
  return `--- Comment #${number} from ${named(author)} ${toDatetime(at)} ---\n${text}`
}

/** The lines that stand before what was typed about an attachment. */
function leadIn({ kind, attachmentId, attachmentSummary }: MailedComment, baseUrl: string): string {
  if (attachmentId === null || (kind !== 'attachment_created' && kind !== 'attachment_updated')) {
    return ''
  }
  const verb = kind === 'attachment_created' ? 'Created attachment' : 'Comment on attachment'
  const link = baseUrl === '' ? [] : [`  --> ${baseUrl}/attachment/${attachmentId}`]
  return [`${verb} ${attachmentId}`, ...link, attachmentSummary ?? ''].join('\n')
}

function trailer({ kind, relatedBugId }: MailedComment): string {
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

function referencedBugs({ referenced, site }: BugNews): string {
  if (referenced.length === 0) {
    return ''
  }
  const lines = referenced.flatMap(({ id, summary }) => [
    ...(site.baseUrl === '' ? [] : [bugLink(site.baseUrl, id)]),
    `[Bug ${id}] ${summary}`,
  ])
  return ['Referenced Bugs:', '', ...lines].join('\n')
}

function named({ login, name }: Somebody): string {
  return name === '' ? login : `${name} <${login}>`
}

function bugLink(baseUrl: string, id: number): string {
  return `${baseUrl}/bug/${id}`
}
