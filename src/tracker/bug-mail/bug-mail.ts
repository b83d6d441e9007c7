import { toDatetime } from '../../platform/lib/time.ts'
import { preferencesUrl, toOneLine } from '../../platform/mail/layout.ts'
import type { Mail } from '../../platform/mail/send.ts'
import { buildThreadMessageId, buildThreadRoot } from '../../platform/mail/thread.ts'
import type {
  BugMailContent,
  FlagNews,
  MailedComment,
  MailedFlag,
  PersonInMail,
  Unsubscription,
} from './content.ts'
import type { MailBlock, MailDocument, MailedAttachment } from './document.ts'
import { buildBugHeaders } from './headers.ts'
import { renderHtml } from './render-html.ts'
import { renderMailText } from './render-text.ts'

const ROLE_BY_REASON: Readonly<Record<string, string>> = {
  AssignedTo: 'assignee',
  Reporter: 'reporter',
  QAcontact: 'QA contact',
  CC: 'member of the CC list',
  'Component-Watcher': 'watcher of its component or product',
  GlobalWatcher: 'watcher of all bugs',
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

/** Writes the mail about a change of a bug to one reader. */
export function composeBugMail(content: BugMailContent): Mail {
  const { bug, reader, site } = content
  const document = describeBugMail(content)
  const thread = { bugId: bug.id, readerId: reader.id, host: site.host }
  return {
    to: reader.login,
    subject: toOneLine(`[Bug ${bug.id}] ${formatSubjectNews(content)}${bug.summary}`),
    text: renderMailText(document),
    ...(reader.wantsHtml ? { html: renderHtml(document) } : {}),
    headers: buildBugHeaders(content),
    messageId:
      content.occasion === 'created'
        ? buildThreadRoot(thread)
        : buildThreadMessageId(thread, 'notice', content.noticeId),
    date: content.happenedAt,
  }
}

/** What the subject has ahead of the summary: whether the bug is new, and the reader's flags. */
function formatSubjectNews({ occasion, flagNews, reader }: BugMailContent): string {
  const flags = flagNews.map(
    ({ flag, status, attachmentId }) =>
      `${flag} ${FLAG_ACTIONS[status]}${attachmentId === null ? '' : ` for attachment ${attachmentId}`}`,
  )
  const isMarkedNew = occasion === 'created' && reader.wantsNewInSubject
  const news = new Set([...(isMarkedNew ? ['New'] : []), ...flags])
  return news.size === 0 ? '' : `${[...news].join(', ')}: `
}

function describeBugMail(content: BugMailContent): MailDocument {
  const { bug, site, changes, referenced } = content
  const blocks: (MailBlock | null)[] = [
    site.baseUrl === '' ? null : { kind: 'link', url: buildBugUrl(site.baseUrl, bug.id) },
    content.blocker === null ? null : { kind: 'sentence', text: describeBlocker(content) },
    content.occasion === 'created' ? { kind: 'fields', fields: listFields(content) } : null,
    content.occasion === 'created' || changes.length === 0 ? null : describeChanges(content),
    ...content.comments.map((comment) => describeComment(comment, content)),
    referenced.length === 0 ? null : describeReferencedBugs(content),
    { kind: 'footer', lines: listReasons(content), links: listExits(content) },
  ]
  return blocks.filter((block) => block !== null)
}

/** Why the reader gets the mail, one sentence for each kind of reason. */
function listReasons({ reader, flagNews }: BugMailContent): string[] {
  const nameRole = (reason: string) => ROLE_BY_REASON[reason] ?? reason
  const parts = [
    ...reader.reasons.map(nameRole),
    ...new Set(flagNews.map(({ part }) => FLAG_PARTS[part])),
  ]
  const watched = reader.watched.map(({ reason, login }) => `${login} (${nameRole(reason)})`)
  return [
    ...(parts.length === 0
      ? []
      : [`You get this mail because of your part in the bug: ${parts.join(', ')}.`]),
    ...(watched.length === 0
      ? []
      : [
          `You get this mail because you watch people with a part in the bug: ${watched.join(', ')}.`,
        ]),
  ]
}

/** How the reader gets no such mail any more. */
function listExits({ reader, site }: BugMailContent): Unsubscription[] {
  const { unsubscription } = reader
  const preferences = { label: 'Choose which mail you get', url: preferencesUrl(site.baseUrl) }
  return [
    ...(unsubscription === null ? [] : [unsubscription]),
    ...(site.baseUrl === '' ? [] : [preferences]),
  ]
}

function listFields({ bug, changes }: BugMailContent): [string, string][] {
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
    // of flags, what the bug has by now
    ...changes
      .filter(({ field }) => field !== 'flagtypes.name')
      .map(({ label, added }): [string, string] => [label, added]),
  ]
  return values.filter(([, value]) => value !== '')
}

function formatFlag({ name, status, requestee }: MailedFlag): string {
  return `${name}${status}${requestee === null ? '' : `(${requestee})`}`
}

function describeBlocker({ bug, blocker }: BugMailContent): string {
  const news = blocker?.isOpen ? 'opened again' : 'closed'
  return `Bug ${bug.id} depends on bug ${blocker?.id}, which was ${news}.`
}

function describeChanges({ author, blocker, changes }: BugMailContent): MailBlock {
  const changed = blocker === null ? '' : ` bug ${blocker.id}`
  return {
    kind: 'table',
    title: `${formatPerson(author)} changed${changed}:`,
    head: ['What', 'Removed', 'Added'],
    rows: changes.map(({ label, removed, added }) => [label, removed, added]),
  }
}

function describeComment(comment: MailedComment, content: BugMailContent): MailBlock {
  const { number, author, at, body, html } = comment
  const { baseUrl } = content.site
  const isDescription = content.occasion === 'created' && number === 0
  return {
    kind: 'comment',
    url: isDescription || baseUrl === '' ? null : buildBugUrl(baseUrl, content.bug.id, number),
    title: isDescription
      ? null
      : `Comment #${number} from ${formatPerson(author)} ${toDatetime(at)}`,
    attachment: describeAttachment(comment, baseUrl),
    body,
    html,
    note: formatDuplicateLine(comment),
  }
}

/** The attachment that a comment was made on, or created with. */
function describeAttachment(
  { kind, attachmentId, attachmentSummary }: MailedComment,
  baseUrl: string,
): MailedAttachment | null {
  if (attachmentId === null || (kind !== 'attachment_created' && kind !== 'attachment_updated')) {
    return null
  }
  const verb = kind === 'attachment_created' ? 'Created attachment' : 'Comment on attachment'
  return {
    title: `${verb} ${attachmentId}`,
    url: baseUrl === '' ? null : `${baseUrl}/attachment/${attachmentId}`,
    summary: attachmentSummary ?? '',
  }
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

function describeReferencedBugs({ referenced, site }: BugMailContent): MailBlock {
  return {
    kind: 'bugs',
    title: 'Referenced Bugs:',
    bugs: referenced.map(({ id, summary }) => ({
      url: site.baseUrl === '' ? null : buildBugUrl(site.baseUrl, id),
      text: `[Bug ${id}] ${summary}`,
    })),
  }
}

function formatPerson({ login, name }: PersonInMail): string {
  return name === '' ? login : `${name} <${login}>`
}

function buildBugUrl(baseUrl: string, id: number, comment?: number): string {
  return `${baseUrl}/bug/${id}${comment === undefined ? '' : `#c${comment}`}`
}
