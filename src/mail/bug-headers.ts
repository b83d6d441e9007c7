import type { BugNews } from './bug-news.ts'
import { oneLine } from './layout.ts'

const PREFIX = 'X-Tracker-'

/** What the mail service takes as the value of one header, in bytes. */
const LONGEST_HEADER = 2048

/**
 * Threads hang on `References`, because the mail service makes up Message-ID itself: each reader has one
 * thread per bug, whose root is no mail but a name. Empty headers would be refused, so there are none.
 */
export function bugHeaders(told: BugNews): Record<string, string> {
  const { bug, reader, site } = told
  const isNew = told.kind === 'created'
  const root = `<bug-${bug.id}-${reader.id}@${site.host}>`
  const own: Record<string, string> = {
    Type: told.flagNews.length > 0 ? 'request' : isNew ? 'new' : 'changed',
    Reason: reader.reasons.join(' ') || 'None',
    'Watch-Reason': 'None',
    'Changed-Fields': changedLabels(told).join(', '),
    'Changed-Field-Names': changedFields(told).join(' '),
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
    Who: told.author.login,
    'Attach-ID': told.attachmentIds.join(', '),
    URL: site.baseUrl,
  }
  const headers = Object.entries(own)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [PREFIX + name, clipped(oneLine(value))])
  return {
    ...Object.fromEntries(headers),
    'Auto-Submitted': 'auto-generated',
    References: root,
    ...(isNew ? {} : { 'In-Reply-To': root }),
  }
}

function changedFields({ kind, changes, comments }: BugNews): string[] {
  if (kind === 'created') {
    return []
  }
  const attachment = comments.some((comment) => comment.kind === 'attachment_created')
  return [
    ...new Set(changes.map(({ field }) => field)),
    ...(comments.length > 0 ? ['comment'] : []),
    ...(attachment ? ['attachment.created'] : []),
  ]
}

function changedLabels({ kind, changes, comments }: BugNews): string[] {
  if (kind === 'created') {
    return []
  }
  const attachment = comments.some((comment) => comment.kind === 'attachment_created')
  return [
    ...new Set(changes.map(({ label }) => label)),
    ...(comments.length > 0 ? ['Comment Created'] : []),
    ...(attachment ? ['Attachment Created'] : []),
  ]
}

function clipped(value: string): string {
  const bytes = new TextEncoder().encode(value)
  return bytes.length <= LONGEST_HEADER
    ? value
    : new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER), { stream: true })
}
