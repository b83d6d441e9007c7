import type { Ctx } from '../../platform/context.ts'
import type { Mail } from '../../platform/mail/send.ts'
import { findMailHost } from '../../platform/mail/thread.ts'
import { composeBugMail } from '../bug-mail/bug-mail.ts'
import type { BugMailContent, FlagNews, MailedFlag, MailReader } from '../bug-mail/content.ts'
import { expandLinks } from '../history/links.ts'
import { redactToBlocker, wantsBlockerMail } from './dependent-bugs.ts'
import { filterFlagNews } from './flag-news.ts'
import { labelField } from './labels.ts'
import { isSwitchOn, MAIL_ROLES, type MailRole, wantsMail } from './preferences.ts'
import { redactChange } from './redact.ts'
import type { Change, Recipient, VisibleChange } from './types.ts'

const REASONS: Readonly<Record<MailRole, string>> = {
  assignee: 'AssignedTo',
  reporter: 'Reporter',
  qa_contact: 'QAcontact',
  cc: 'CC',
  component_watcher: 'Component-Watcher',
}

const GLOBAL_WATCHER_REASON = 'GlobalWatcher'

/** What the mail of one person contains, and why the person gets it. */
type PersonalNews = VisibleChange &
  Pick<MailReader, 'reasons' | 'watched'> & {
    readonly occasion: BugMailContent['occasion']
    readonly flagNews: FlagNews[]
  }

/** The mail about a change for one recipient; null when nothing of it is both visible and wanted. */
export function composePersonalMail(ctx: Ctx, change: Change, recipient: Recipient): Mail | null {
  const news = decideNews(change, recipient)
  return news === null ? null : composeMail(ctx, change, news, recipient)
}

/** The news for a recipient: the visible change, or what matters to the bugs that this one blocks. */
function decideNews(change: Change, recipient: Recipient): PersonalNews | null {
  const { person, blocked, preferences, isGlobalWatcher } = recipient
  const { notice } = change
  const visible = redactChange(change, person)
  const flagNews = filterFlagNews(recipient, change.flagNews, notice.authorId)
  const isWanted = isGlobalWatcher || flagNews.length > 0 || wantsChange(change, visible, recipient)
  if (isWanted && hasNews(change, visible)) {
    return { ...visible, occasion: notice.kind, flagNews, ...listReasons(recipient) }
  }
  const { login, id } = person
  return wantsBlockerMail({ login, isAuthor: id === notice.authorId, preferences }, blocked)
    ? {
        ...redactToBlocker(visible.rows, blocked),
        occasion: 'dep_changed',
        flagNews: [],
        ...listBlockedReasons(recipient),
      }
    : null
}

function listReasons({ roles, isGlobalWatcher, watched }: Recipient) {
  return {
    reasons: [...nameRoles(roles), ...(isGlobalWatcher ? [GLOBAL_WATCHER_REASON] : [])],
    watched: nameWatched(watched),
  }
}

function listBlockedReasons({ blocked }: Recipient) {
  return {
    reasons: nameRoles(blocked.flatMap(({ role, watched }) => (watched === null ? role : []))),
    watched: nameWatched(
      blocked.flatMap(({ role, watched }) => (watched === null ? [] : { role, login: watched })),
    ),
  }
}

function nameRoles(roles: readonly MailRole[]): string[] {
  return MAIL_ROLES.filter((role) => roles.includes(role)).map((role) => REASONS[role])
}

/** In the order of roles, each role of each person once. */
function nameWatched(watched: Recipient['watched']): MailReader['watched'] {
  return MAIL_ROLES.flatMap((role) => {
    const logins = watched.flatMap((one) => (one.role === role ? one.login : []))
    return [...new Set(logins)].sort().map((login) => ({ reason: REASONS[role], login }))
  })
}

function hasNews({ notice }: Change, { rows, comments }: VisibleChange): boolean {
  return notice.kind === 'created' || rows.length > 0 || comments.length > 0
}

function wantsChange(
  { notice, bug }: Change,
  visible: VisibleChange,
  { person, roles, watched, preferences }: Recipient,
): boolean {
  return wantsMail(
    {
      login: person.login,
      isAuthor: person.id === notice.authorId,
      roles,
      watchedRoles: watched.map(({ role }) => role),
      preferences,
    },
    {
      kind: notice.kind,
      isUnconfirmed: bug.status === 'UNCONFIRMED',
      changes: visible.rows,
      comments: visible.comments,
    },
  )
}

function composeMail(
  ctx: Ctx,
  { notice, bug }: Change,
  { occasion, flagNews, reasons, watched, ...news }: PersonalNews,
  { person, preferences }: Recipient,
): Mail {
  const { author, authorName, flags, ...values } = bug
  const attachments = [...news.rows, ...news.comments].flatMap((row) => row.attachmentId ?? [])
  return composeBugMail({
    occasion,
    noticeId: notice.id,
    happenedAt: notice.happenedAt,
    bug: { ...values, flags: parseFlags(flags) },
    author: { login: author, name: authorName },
    changes: news.rows.map(({ field, displayName, attachmentId, removed, added }) => ({
      field,
      label: labelField(field, displayName, attachmentId),
      removed: expandLinks(field, removed, ctx.baseUrl),
      added: expandLinks(field, added, ctx.baseUrl),
    })),
    attachmentIds: [...new Set(attachments)],
    flagNews,
    comments: news.comments.map(({ author: login, authorName: name, ...comment }) => ({
      ...comment,
      author: { login, name },
    })),
    referenced: news.referenced,
    reader: {
      id: person.id,
      login: person.login,
      reasons,
      watched,
      wantsHtml: isSwitchOn(preferences, 'format', 'html'),
      wantsNewInSubject: isSwitchOn(preferences, 'format', 'new_in_subject'),
    },
    site: {
      baseUrl: ctx.baseUrl,
      host: findMailHost(ctx),
      headerPrefix: ctx.settings.MAIL_HEADER_PREFIX,
    },
  })
}

function parseFlags(json: string): MailedFlag[] {
  const rows = JSON.parse(json) as [string, string, string | null][]
  return rows.map(([name, status, requestee]) => ({ name, status, requestee }))
}
