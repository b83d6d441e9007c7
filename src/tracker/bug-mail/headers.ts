import { toOneLine } from '../../platform/mail/layout.ts'
import { buildThreadRoot } from '../../platform/mail/thread.ts'
import type { BugMailContent, MailedBug, MailReader } from './content.ts'

/** The limit of the mail service for the value of one header. */
const MAX_HEADER_BYTES = 2048

/**
 * The headers of a mail. The mail service generates Message-ID, so `References` names a made-up root for each reader
 * and bug, which makes their mails one thread.
 */
export function buildBugHeaders(content: BugMailContent): Record<string, string> {
  const { bug, reader, site } = content
  const isNew = content.occasion === 'created'
  const root = buildThreadRoot({ bugId: bug.id, readerId: reader.id, host: site.host })
  const values: Record<string, string> = {
    Type: listType(content),
    Reason: reader.reasons.join(' ') || 'None',
    'Watch-Reason': listWatchReasons(reader) || 'None',
    'Changed-Fields': listChangedLabels(content).join(', '),
    'Changed-Field-Names': listChangedFields(content).join(' '),
    ID: String(bug.id),
    Classification: bug.classification,
    Product: bug.product,
    Component: bug.component,
    Version: bug.version,
    'Bug-Type': bug.type,
    Keywords: bug.keywords,
    Severity: bug.severity,
    Priority: bug.priority,
    Status: bug.status,
    Resolution: bug.resolution,
    'Assigned-To': bug.assignedTo,
    'Target-Milestone': bug.milestone,
    OS: bug.opSys,
    Flags: bug.flags.map(({ name, status }) => name + status).join(', '),
    Who: content.author.login,
    'Attach-ID': content.attachmentIds.join(', '),
    URL: site.baseUrl,
  }
  return {
    ...formatTrackerHeaders(values, site.headerPrefix),
    'Auto-Submitted': 'auto-generated',
    'List-Id': buildListId(bug, site.host),
    ...(reader.unsubscription === null
      ? {}
      : {
          'List-Unsubscribe': `<${reader.unsubscription.url}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
    References: root,
    ...(isNew ? {} : { 'In-Reply-To': root }),
  }
}

/**
 * The component is the list, in the manner of RFC 2919; without a name, which mail libraries encode together with it.
 */
function buildListId({ product, component }: MailedBug, host: string): string {
  return `<${[component, product, host].map(toLabels).join('.')}>`
}

/** A text as a label of a host name, other scripts than Latin in their encoded form. */
function toLabels(text: string): string {
  const label = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .slice(0, 60)
  const trimmed = label.replaceAll(/^[-.]+|[-.]+$/g, '')
  const address = `http://${trimmed}.x`
  return trimmed !== '' && URL.canParse(address) ? new URL(address).hostname.slice(0, -2) : 'other'
}

/**
 * Headers for mail filters: each on one line. Empty ones are omitted, because the mail service rejects
 * them.
 */
export function formatTrackerHeaders(
  values: Readonly<Record<string, string>>,
  prefix: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [prefix + name, truncate(toOneLine(value))]),
  )
}

function listType({ occasion, flagNews }: BugMailContent): string {
  if (flagNews.length > 0) {
    return 'request'
  }
  return occasion === 'created' ? 'new' : occasion
}

/** The roles that are watched, and behind them the logins of those who have them. */
function listWatchReasons({ watched }: MailReader): string {
  return [
    ...new Set([...watched.map(({ reason }) => reason), ...watched.map(({ login }) => login)]),
  ].join(' ')
}

function listChangedFields({ occasion, changes, comments }: BugMailContent): string[] {
  if (occasion === 'created') {
    return []
  }
  const hasNewAttachment = comments.some(({ kind }) => kind === 'attachment_created')
  return [
    ...new Set(changes.map(({ field }) => field)),
    ...(comments.length > 0 ? ['comment'] : []),
    ...(hasNewAttachment ? ['attachment.created'] : []),
  ]
}

function listChangedLabels({ occasion, changes, comments }: BugMailContent): string[] {
  if (occasion === 'created') {
    return []
  }
  const hasNewAttachment = comments.some(({ kind }) => kind === 'attachment_created')
  return [
    ...new Set(changes.map(({ label }) => label)),
    ...(comments.length > 0 ? ['Comment Created'] : []),
    ...(hasNewAttachment ? ['Attachment Created'] : []),
  ]
}

function truncate(value: string): string {
  const bytes = new TextEncoder().encode(value)
  return bytes.length <= MAX_HEADER_BYTES
    ? value
    : new TextDecoder().decode(bytes.subarray(0, MAX_HEADER_BYTES), { stream: true })
}
