import type { Ctx } from '../context.ts'
import { commit, type Statement } from '../db/commit.ts'
import { type Outcome, processOutboxTogether, type RowRequest } from '../db/outbox.ts'
import { OUTBOXES } from '../db/outboxes.ts'
import { noticeMails } from '../db/schema/notices.ts'
import { columnNames, sql } from '../db/sql.ts'
import { expandLinks } from '../history/links.ts'
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

/** Mails between two commits that record who has got a mail. */
const MAILS_PER_BATCH = 25

/** What the mail of one person contains, and why the person gets it. */
type PersonalNews = VisibleChange & {
  readonly flagNews: FlagNews[]
  readonly reasons: readonly string[]
}

type PersonalMail = Mail & { readonly personId: number }

/**
 * Sends the mails of notices, at least once, and returns the outcome of each notice. Notices that are
 * leased to another worker or delivered already are skipped. `onClaimed` gets the IDs of all others ahead of the
 * mails; when it fails, they are retried. Reference: notifications.md, "Delivery".
 */
export function deliverNotices(
  ctx: Ctx,
  request: RowRequest,
  onClaimed: (noticeIds: readonly number[]) => Promise<void> = async () => {},
): Promise<ReadonlyMap<number, Outcome>> {
  return processOutboxTogether(ctx, OUTBOXES.notice, request, async (rows) => {
    await onClaimed(rows.map(({ id }) => Number(id)))
    return (row) => deliverNotice(ctx, parseNotice(row), row.attempts === 1)
  })
}

/** Returns statements for the commit that marks the notice as done. */
async function deliverNotice(ctx: Ctx, notice: Notice, isFirst: boolean): Promise<Statement[]> {
  const sendsMails = !notice.isMinor && isMailEnabled(ctx)
  if (sendsMails) {
    const mails = composeMails(ctx, await loadChange(ctx, notice))
    const finished = await sendInBatches(ctx, notice, mails)
    if (finished.length < mails.length) {
      throw new UnsentMailError(
        `${mails.length - finished.length} of ${mails.length} mails were not accepted`,
      )
    }
  }
  const hasRecords = sendsMails || !isFirst
  return hasRecords
    ? [sql`DELETE FROM notice_mails WHERE ${noticeMails.noticeId} = ${notice.id}`]
    : []
}

/** Sends mails in batches and records each, so that few people get a mail twice when the worker dies. */
async function sendInBatches(ctx: Ctx, notice: Notice, mails: readonly PersonalMail[]) {
  const finished: PersonalMail[] = []
  for (let start = 0; start < mails.length; start += MAILS_PER_BATCH) {
    const sent = await sendMails(ctx, mails.slice(start, start + MAILS_PER_BATCH))
    finished.push(...sent)
    if (finished.length < mails.length) {
      await recordMailedPeople(ctx, notice, sent)
    }
  }
  return finished
}

/** The next attempt skips the people who are recorded here. */
async function recordMailedPeople(ctx: Ctx, notice: Notice, finished: readonly PersonalMail[]) {
  const people = JSON.stringify(finished.map(({ personId }) => personId))
  await commit(ctx, {
    mails: sql`INSERT OR IGNORE INTO notice_mails (${columnNames(noticeMails.noticeId, noticeMails.userId)})
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
    const news = decideNews(change, recipient)
    return news === null
      ? []
      : [{ ...composeMail(ctx, change, news, recipient), personId: recipient.person.id }]
  })
}

/**
 * The news for a recipient: the visible change, or what matters to the bugs that this one blocks; null for
 * none.
 */
function decideNews(change: Change, recipient: Recipient): PersonalNews | null {
  const { person, blocked, preferences } = recipient
  const visible = redactChange(change, person)
  const flagNews = filterFlagNews(recipient, change.flagNews, change.notice.authorId)
  if (
    hasNews(change, visible) &&
    (flagNews.length > 0 || wantsChange(change, visible, recipient))
  ) {
    return { ...visible, flagNews, reasons: listReasons(recipient) }
  }
  const { login, id } = person
  const isAuthor = id === change.notice.authorId
  return wantsBlockerMail({ login, isAuthor, preferences }, blocked)
    ? { ...redactToBlocker(visible.rows, blocked), flagNews: [], reasons: ['Blocked'] }
    : null
}

function listReasons({ roles }: Recipient): string[] {
  return MAIL_ROLES.filter((role) => roles.includes(role)).map((role) => REASONS[role])
}

function hasNews({ notice }: Change, { rows, comments }: VisibleChange): boolean {
  return notice.kind === 'created' || rows.length > 0 || comments.length > 0
}

function wantsChange(
  { notice, bug }: Change,
  visible: VisibleChange,
  recipient: Recipient,
): boolean {
  const { person, roles, preferences } = recipient
  return wantsMail(
    { login: person.login, isAuthor: person.id === notice.authorId, roles, preferences },
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
  news: PersonalNews,
  recipient: Recipient,
): Mail {
  const { author, authorName, flags, ...values } = bug
  const attachments = [...news.rows, ...news.comments].flatMap((row) => row.attachmentId ?? [])
  return composeBugMail({
    kind: notice.kind,
    bug: { ...values, flags: parseFlags(flags) },
    author: { login: author, name: authorName },
    changes: news.rows.map(({ field, displayName, attachmentId, removed, added }) => ({
      field,
      label: labelField(field, displayName, attachmentId),
      removed: expandLinks(field, removed, ctx.baseUrl),
      added: expandLinks(field, added, ctx.baseUrl),
    })),
    attachmentIds: [...new Set(attachments)],
    flagNews: news.flagNews,
    comments: news.comments.map(({ author: login, authorName: name, ...comment }) => ({
      ...comment,
      author: { login, name },
    })),
    referenced: news.referenced,
    reader: {
      id: recipient.person.id,
      login: recipient.person.login,
      reasons: news.reasons,
    },
    site: { baseUrl: ctx.baseUrl, host: findThreadHost(ctx) },
  })
}

function parseFlags(json: string): MailedFlag[] {
  const rows = JSON.parse(json) as [string, string, string | null][]
  return rows.map(([name, status, requestee]) => ({ name, status, requestee }))
}

/** The host of the thread's message IDs. It has to be stable and need not exist. */
function findThreadHost({ baseUrl, settings }: Ctx): string {
  return URL.canParse(baseUrl)
    ? new URL(baseUrl).hostname
    : (/@([^\s<>@]+)/.exec(settings.MAIL_FROM)?.[1] ?? 'localhost')
}
