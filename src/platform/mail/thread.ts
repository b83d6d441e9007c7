import type { Ctx } from '../context.ts'

/** The mails to one reader about one bug are one thread. */
type MailThread = {
  readonly bugId: number
  readonly readerId: number
  readonly host: string
}

/** The root of a thread: the message ID of the mail about the new bug, which may not exist. */
export function buildThreadRoot({ bugId, readerId, host }: MailThread): string {
  return `<bug-${bugId}-${readerId}@${host}>`
}

/**
 * The message ID of a later mail of a thread. It depends on the outbox row alone, so that readers see a mail
 * that is sent twice once.
 */
export function buildThreadMessageId(
  { bugId, readerId, host }: MailThread,
  kind: 'notice' | 'reminder',
  rowId: number,
): string {
  return `<bug-${bugId}-${readerId}-${kind}-${rowId}@${host}>`
}

/** The host of message IDs. It has to be stable and need not exist. */
export function findMailHost({ baseUrl, settings }: Pick<Ctx, 'baseUrl' | 'settings'>): string {
  return URL.canParse(baseUrl)
    ? new URL(baseUrl).hostname
    : (/@([^\s<>@]+)/.exec(settings.MAIL_FROM)?.[1] ?? 'localhost')
}
