import type { Ctx } from '../context.ts'
import { commit, type Statement } from '../db/commit.ts'
import { type Outcome, processOutbox, type RowRequest } from '../db/outbox.ts'
import { notices } from '../db/schema/notices.ts'
import { sql } from '../db/sql.ts'
import { composeBugMail } from '../mail/bug-mail.ts'
import type { FlagNews, MailedFlag } from '../mail/bug-mail-content.ts'
import { labelField } from '../mail/labels.ts'
import { isMailEnabled, type Mail, sendMails, UnsentMailError } from '../mail/send.ts'
import { readChange } from './change.ts'
import { partForBlocked, wantsBlocked } from './dependent-bugs.ts'
import { newsFor } from './flag-news.ts'
import { MAIL_ROLES, type MailRole, wantsMail } from './preferences.ts'
import { visiblePart } from './redact.ts'
import type { Change, Notice, Part, Recipient } from './types.ts'

const REASONS: Readonly<Record<MailRole, string>> = {
  assignee: 'AssignedTo',
  reporter: 'Reporter',
  qa_contact: 'QAcontact',
  cc: 'CC',
}

/** Mails between two notes of who has had theirs. */
const PART = 25

/** What one person is told, and why. */
type Told = Part & { readonly news: FlagNews[]; readonly reasons: readonly string[] }

type PersonalMail = Mail & { readonly personId: number }

/**
 * Tells the people of bugs of changes, each at least once, and answers what became of each notice. One
 * that somebody else is telling, or that has been told, is left alone. Contract "Events", 2: Update Bug
 * sends e-mail about the changes.
 */
export function deliverNotices(
  ctx: Ctx,
  wanted: RowRequest,
): Promise<ReadonlyMap<number, Outcome>> {
  return processOutbox(ctx, notices, wanted, (row) =>
    tell(ctx, noticeFrom(row), row.attempts === 1),
  )
}

/** Everybody who is to be told stands here; what each leaves to be written rides in the closing commit. */
async function tell(ctx: Ctx, notice: Notice, isFirst: boolean): Promise<Statement[]> {
  const tellsPeople = !notice.isMinor && isMailEnabled(ctx)
  if (tellsPeople) {
    const mails = mailsAbout(ctx, await readChange(ctx, notice))
    const settled = await sendInParts(ctx, notice, mails)
    if (settled.length < mails.length) {
      throw new UnsentMailError(
        `${mails.length - settled.length} of ${mails.length} mails were not accepted`,
      )
    }
  }
  const isNoted = tellsPeople || !isFirst
  return isNoted ? [sql`DELETE FROM notice_mails WHERE notice_id = ${notice.id}`] : []
}

/** Many mails are sent part by part, so that a worker that dies on the way has told most people once. */
async function sendInParts(ctx: Ctx, notice: Notice, mails: readonly PersonalMail[]) {
  const settled: PersonalMail[] = []
  for (let start = 0; start < mails.length; start += PART) {
    const part = await sendMails(ctx, mails.slice(start, start + PART))
    settled.push(...part)
    if (settled.length < mails.length) {
      await rememberMailed(ctx, notice, part)
    }
  }
  return settled
}

/** The next attempt is for the others. */
async function rememberMailed(ctx: Ctx, notice: Notice, settled: readonly PersonalMail[]) {
  const people = JSON.stringify(settled.map(({ personId }) => personId))
  await commit(ctx, {
    mails: sql`INSERT OR IGNORE INTO notice_mails (notice_id, user_id)
      SELECT ${notice.id}, value FROM json_each(${people})`,
  })
}

function noticeFrom(row: Record<string, unknown>): Notice {
  return {
    id: Number(row.id),
    bugId: Number(row.bug_id),
    authorId: Number(row.author_id),
    kind: row.kind as Notice['kind'],
    happenedAt: Number(row.happened_at),
    isMinor: row.is_minor === 1,
  }
}

function mailsAbout(ctx: Ctx, change: Change): PersonalMail[] {
  return change.recipients.flatMap((recipient) => {
    const part = partWanted(change, recipient)
    return part === null
      ? []
      : [{ ...mailTo(ctx, change, part, recipient), personId: recipient.person.id }]
  })
}

/** What somebody is told: all they may know, or what matters to bugs of theirs that this one blocks. */
function partWanted(change: Change, recipient: Recipient): Told | null {
  const { person, blocked, preferences } = recipient
  const part = visiblePart(change, person)
  const news = newsFor(recipient, change.flagNews, change.notice.authorId)
  if (isWorthTelling(change, part) && (news.length > 0 || isWanted(change, part, recipient))) {
    return { ...part, news, reasons: reasonsOf(recipient) }
  }
  const { login, id } = person
  const isAuthor = id === change.notice.authorId
  return wantsBlocked({ login, isAuthor, preferences }, blocked)
    ? { ...partForBlocked(part.rows, blocked), news: [], reasons: ['Blocked'] }
    : null
}

function reasonsOf({ roles }: Recipient): string[] {
  return MAIL_ROLES.filter((role) => roles.includes(role)).map((role) => REASONS[role])
}

function isWorthTelling({ notice }: Change, { rows, comments }: Part): boolean {
  return notice.kind === 'created' || rows.length > 0 || comments.length > 0
}

function isWanted({ notice, bug }: Change, part: Part, recipient: Recipient): boolean {
  const { person, roles, preferences } = recipient
  return wantsMail(
    { login: person.login, isAuthor: person.id === notice.authorId, roles, preferences },
    {
      kind: notice.kind,
      isUnconfirmed: bug.status === 'UNCONFIRMED',
      changes: part.rows,
      comments: part.comments,
    },
  )
}

function mailTo(ctx: Ctx, { notice, bug }: Change, part: Told, recipient: Recipient): Mail {
  const { author, authorName, flags, ...values } = bug
  const attachments = [...part.rows, ...part.comments].flatMap((row) => row.attachmentId ?? [])
  return composeBugMail({
    kind: notice.kind,
    bug: { ...values, flags: flagsIn(flags) },
    author: { login: author, name: authorName },
    changes: part.rows.map(({ field, displayName, attachmentId, removed, added }) => ({
      field,
      label: labelField(field, displayName, attachmentId),
      removed,
      added,
    })),
    attachmentIds: [...new Set(attachments)],
    flagNews: part.news,
    comments: part.comments.map(({ author: login, authorName: name, ...comment }) => ({
      ...comment,
      author: { login, name },
    })),
    referenced: part.referenced,
    reader: {
      id: recipient.person.id,
      login: recipient.person.login,
      reasons: part.reasons,
    },
    site: { baseUrl: ctx.baseUrl, host: hostOf(ctx) },
  })
}

function flagsIn(json: string): MailedFlag[] {
  const rows = JSON.parse(json) as [string, string, string | null][]
  return rows.map(([name, status, requestee]) => ({ name, status, requestee }))
}

/** The name behind the @ of thread names: any that stays the same will do. */
function hostOf({ baseUrl, settings }: Ctx): string {
  return URL.canParse(baseUrl)
    ? new URL(baseUrl).hostname
    : (/@([^\s<>@]+)/.exec(settings.MAIL_FROM)?.[1] ?? 'localhost')
}
