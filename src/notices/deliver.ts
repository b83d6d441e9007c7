import type { Ctx } from '../context.ts'
import { commit, type Statement } from '../db/commit.ts'
import { type Outcome, processOutbox, type RowRequest } from '../db/outbox.ts'
import { notices } from '../db/schema/notices.ts'
import { sql } from '../db/sql.ts'
import { composeBugMail } from '../mail/bug-mail.ts'
import type { FlagNews, MailedFlag } from '../mail/bug-mail-content.ts'
import { labelField } from '../mail/labels.ts'
import { isMailEnabled, type Mail, sendMails, UnsentMailError } from '../mail/send.ts'
import { loadChange } from './change.ts'
import { redactToBlocker, wantsBlockerMail } from './dependent-bugs.ts'
import { filterFlagNews } from './flag-news.ts'
import { MAIL_ROLES, type MailRole, wantsMail } from './preferences.ts'
import { redactChange } from './redact.ts'
import type { Change, Notice, Recipient, VisibleChange } from './types.ts'

const REASONS: Readonly<Record<MailRole, string>> = {
  assignee: 'AssignedTo',
  reporter: 'Reporter',
  qa_contact: 'QAcontact',
  cc: 'CC',
}

/** Mails between two notes of who has had theirs. */
const MAILS_PER_BATCH = 25

/** What one person is told, and why. */
type PersonalNews = VisibleChange & {
  readonly news: FlagNews[]
  readonly reasons: readonly string[]
}

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
    deliverNotice(ctx, parseNotice(row), row.attempts === 1),
  )
}

/** Everybody who is to be told stands here; what each leaves to be written rides in the closing commit. */
async function deliverNotice(ctx: Ctx, notice: Notice, isFirst: boolean): Promise<Statement[]> {
  const tellsPeople = !notice.isMinor && isMailEnabled(ctx)
  if (tellsPeople) {
    const mails = composeMails(ctx, await loadChange(ctx, notice))
    const settled = await sendInBatches(ctx, notice, mails)
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
async function sendInBatches(ctx: Ctx, notice: Notice, mails: readonly PersonalMail[]) {
  const settled: PersonalMail[] = []
  for (let start = 0; start < mails.length; start += MAILS_PER_BATCH) {
    const part = await sendMails(ctx, mails.slice(start, start + MAILS_PER_BATCH))
    settled.push(...part)
    if (settled.length < mails.length) {
      await recordMailedPeople(ctx, notice, part)
    }
  }
  return settled
}

/** The next attempt is for the others. */
async function recordMailedPeople(ctx: Ctx, notice: Notice, settled: readonly PersonalMail[]) {
  const people = JSON.stringify(settled.map(({ personId }) => personId))
  await commit(ctx, {
    mails: sql`INSERT OR IGNORE INTO notice_mails (notice_id, user_id)
      SELECT ${notice.id}, value FROM json_each(${people})`,
  })
}

function parseNotice(row: Record<string, unknown>): Notice {
  return {
    id: Number(row.id),
    bugId: Number(row.bug_id),
    authorId: Number(row.author_id),
    kind: row.kind as Notice['kind'],
    happenedAt: Number(row.happened_at),
    isMinor: row.is_minor === 1,
  }
}

function composeMails(ctx: Ctx, change: Change): PersonalMail[] {
  return change.recipients.flatMap((recipient) => {
    const part = selectNews(change, recipient)
    return part === null
      ? []
      : [{ ...composeMail(ctx, change, part, recipient), personId: recipient.person.id }]
  })
}

/** What somebody is told: all they may know, or what matters to bugs of theirs that this one blocks. */
function selectNews(change: Change, recipient: Recipient): PersonalNews | null {
  const { person, blocked, preferences } = recipient
  const part = redactChange(change, person)
  const news = filterFlagNews(recipient, change.flagNews, change.notice.authorId)
  if (hasNews(change, part) && (news.length > 0 || wantsChange(change, part, recipient))) {
    return { ...part, news, reasons: listReasons(recipient) }
  }
  const { login, id } = person
  const isAuthor = id === change.notice.authorId
  return wantsBlockerMail({ login, isAuthor, preferences }, blocked)
    ? { ...redactToBlocker(part.rows, blocked), news: [], reasons: ['Blocked'] }
    : null
}

function listReasons({ roles }: Recipient): string[] {
  return MAIL_ROLES.filter((role) => roles.includes(role)).map((role) => REASONS[role])
}

function hasNews({ notice }: Change, { rows, comments }: VisibleChange): boolean {
  return notice.kind === 'created' || rows.length > 0 || comments.length > 0
}

function wantsChange({ notice, bug }: Change, part: VisibleChange, recipient: Recipient): boolean {
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

function composeMail(
  ctx: Ctx,
  { notice, bug }: Change,
  part: PersonalNews,
  recipient: Recipient,
): Mail {
  const { author, authorName, flags, ...values } = bug
  const attachments = [...part.rows, ...part.comments].flatMap((row) => row.attachmentId ?? [])
  return composeBugMail({
    kind: notice.kind,
    bug: { ...values, flags: parseFlags(flags) },
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
    site: { baseUrl: ctx.baseUrl, host: findThreadHost(ctx) },
  })
}

function parseFlags(json: string): MailedFlag[] {
  const rows = JSON.parse(json) as [string, string, string | null][]
  return rows.map(([name, status, requestee]) => ({ name, status, requestee }))
}

/** The name behind the @ of thread names: any that stays the same will do. */
function findThreadHost({ baseUrl, settings }: Ctx): string {
  return URL.canParse(baseUrl)
    ? new URL(baseUrl).hostname
    : (/@([^\s<>@]+)/.exec(settings.MAIL_FROM)?.[1] ?? 'localhost')
}
