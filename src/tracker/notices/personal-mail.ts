import type { Ctx } from '../../platform/context.ts'
import type { Mail } from '../../platform/mail/send.ts'
import { findMailHost } from '../../platform/mail/thread.ts'
import { composeBugMail } from '../bug-mail/bug-mail.ts'
import type {
  BugMailContent,
  FlagNews,
  MailedFlag,
  MailReader,
  Unsubscription,
} from '../bug-mail/content.ts'
import { expandLinks } from '../history/links.ts'
import { findNewState, redactToBlocker, wantsBlockerMail } from './dependent-bugs.ts'
import { filterFlagNews } from './flag-news.ts'
import { labelField } from './labels.ts'
import { isSwitchOn, MAIL_ROLES, type MailRole, wantsMail } from './preferences.ts'
import { redactChange } from './redact.ts'
import type { BlockedBug, Change, NoticeBugRow, Recipient, VisibleChange } from './types.ts'
import { buildUnsubscribeUrl, type Subscription } from './unsubscription.ts'

const REASONS: Readonly<Record<MailRole, string>> = {
  assignee: 'AssignedTo',
  reporter: 'Reporter',
  qa_contact: 'QAcontact',
  cc: 'CC',
  component_watcher: 'Component-Watcher',
}

const GLOBAL_WATCHER_REASON = 'GlobalWatcher'

/** What a mail to one person contains, about which bug, and why the person gets it. */
type PersonalNews = VisibleChange &
  Pick<BugMailContent, 'occasion' | 'flagNews' | 'blocker'> & {
    readonly bug: NoticeBugRow
    /** Why the person gets it, apart from flags. */
    readonly parts: Pick<Recipient, 'roles' | 'watched' | 'isGlobalWatcher'>
  }

/** The mails about a change to one recipient: none when nothing of it is both visible and wanted. */
export function composePersonalMails(ctx: Ctx, change: Change, recipient: Recipient): Mail[] {
  return decideNews(change, recipient).map((news) => composeMail(ctx, change, news, recipient))
}

/** The news for a recipient: the visible change, or that of each bug of theirs that the changed one blocks. */
function decideNews(change: Change, recipient: Recipient): PersonalNews[] {
  const { person, blocked, preferences, isGlobalWatcher } = recipient
  const { notice, bug } = change
  const visible = redactChange(change, person)
  const flagNews = filterFlagNews(recipient, change.flagNews, notice.authorId)
  const isWanted = isGlobalWatcher || flagNews.length > 0 || wantsChange(change, visible, recipient)
  if (isWanted && hasNews(change, visible)) {
    return [{ ...visible, bug, occasion: notice.kind, flagNews, blocker: null, parts: recipient }]
  }
  const candidate = { login: person.login, isAuthor: person.id === notice.authorId, preferences }
  return [...Map.groupBy(blocked, ({ id }) => id)].flatMap(([id, roles]) => {
    const own = change.blockedBugs.get(id)
    const isOpen = findNewState(visible.rows)
    return own === undefined || isOpen === null || !wantsBlockerMail(candidate, roles)
      ? []
      : {
          ...redactToBlocker(visible.rows, bug),
          bug: own,
          occasion: 'dep_changed',
          flagNews: [],
          blocker: { id: bug.id, isOpen },
          parts: partsInBlocked(roles),
        }
  })
}

function partsInBlocked(blocked: readonly BlockedBug[]): PersonalNews['parts'] {
  return {
    roles: blocked.flatMap(({ role, watched }) => (watched === null ? role : [])),
    watched: blocked.flatMap(({ role, watched }) =>
      watched === null ? [] : { role, person: watched },
    ),
    isGlobalWatcher: false,
  }
}

function nameRoles(roles: readonly MailRole[]): string[] {
  return MAIL_ROLES.filter((role) => roles.includes(role)).map((role) => REASONS[role])
}

/** In the order of roles, each role of each person once. */
function nameWatched(watched: Recipient['watched']): MailReader['watched'] {
  return MAIL_ROLES.flatMap((role) => {
    const logins = watched.flatMap((one) => (one.role === role ? one.person.login : []))
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
  { notice, targetsOf }: Change,
  { bug, occasion, blocker, flagNews, parts, ...news }: PersonalNews,
  { person, preferences }: Recipient,
): Mail {
  const { author, authorName, flags, ...values } = bug
  const wantsHtml = isSwitchOn(preferences, 'format', 'html')
  const attachments = [...news.rows, ...news.comments].flatMap((row) => row.attachmentId ?? [])
  const { roles, watched, isGlobalWatcher } = parts
  return composeBugMail({
    occasion,
    noticeId: notice.id,
    happenedAt: notice.happenedAt,
    bug: { ...values, flags: parseFlags(flags) },
    blocker,
    author: { login: author, name: authorName },
    changes: news.rows.map(({ field, displayName, attachmentId, removed, added }) => ({
      field,
      label: labelField(field, displayName, attachmentId),
      removed: expandLinks(field, removed, ctx.baseUrl),
      added: expandLinks(field, added, ctx.baseUrl),
    })),
    attachmentIds: [...new Set(attachments)],
    flagNews,
    comments: news.comments.map(({ author: login, authorName: name, prose, ...comment }) => ({
      ...comment,
      html:
        wantsHtml && prose !== null
          ? prose.toHtml({ ...targetsOf(person, prose), bugId: bug.id })
          : null,
      author: { login, name },
    })),
    referenced: news.referenced,
    reader: {
      id: person.id,
      login: person.login,
      reasons: [...nameRoles(roles), ...(isGlobalWatcher ? [GLOBAL_WATCHER_REASON] : [])],
      watched: nameWatched(watched),
      unsubscription: offerUnsubscription(
        ctx,
        { personId: person.id, bugId: bug.id },
        parts,
        flagNews,
      ),
      wantsHtml,
      wantsNewInSubject: isSwitchOn(preferences, 'format', 'new_in_subject'),
    },
    site: {
      baseUrl: ctx.baseUrl,
      host: findMailHost(ctx),
      headerPrefix: ctx.settings.MAIL_HEADER_PREFIX,
    },
  })
}

/** Whoever gets a mail for watching alone stops that; everybody else ignores the bug. */
function offerUnsubscription(
  ctx: Ctx,
  subject: Pick<Subscription, 'personId' | 'bugId'>,
  { roles, watched, isGlobalWatcher }: PersonalNews['parts'],
  flagNews: readonly FlagNews[],
): Unsubscription | null {
  if (ctx.baseUrl === '') {
    return null
  }
  const isOfPlace = roles.includes('component_watcher')
  const isWatching = isOfPlace || watched.length > 0
  const others = roles.filter((role) => role !== 'component_watcher')
  if (!isWatching || others.length > 0 || isGlobalWatcher || flagNews.length > 0) {
    const url = buildUnsubscribeUrl(ctx, { ...subject, watchedIds: [], isOfPlace: false })
    return { label: 'Stop mail about this bug', url }
  }
  const people = new Map(watched.map(({ person: { id, login } }) => [id, login]))
  const names = [...people.values(), ...(isOfPlace ? ['the component of this bug'] : [])]
  return {
    label: `Stop watching ${names.join(', ')}`,
    url: buildUnsubscribeUrl(ctx, { ...subject, watchedIds: [...people.keys()], isOfPlace }),
  }
}

function parseFlags(json: string): MailedFlag[] {
  const rows = JSON.parse(json) as [string, string, string | null][]
  return rows.map(([name, status, requestee]) => ({ name, status, requestee }))
}
