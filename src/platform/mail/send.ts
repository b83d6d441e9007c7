import type { Ctx } from '../context.ts'
import { perObject } from '../lib/isolate.ts'
import { createLanes } from '../lib/lanes.ts'
import { errorFacts, log } from '../lib/log.ts'
import type { SmtpServer } from '../lib/smtp-url.ts'
import type { MailOutcome } from './outcome.ts'
import { parseSender } from './sender.ts'
import { findMailHost } from './thread.ts'

/** A mail to one address: a plain text and, if given, the same as HTML. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: Readonly<Record<string, string>>
  /** In angle brackets, and the same in every attempt. The mail service replaces it by its own. */
  readonly messageId?: string
  /** What the header Date says, in Unix seconds; absent for the time of sending, as with the mail service. */
  readonly date?: number
}

/** Errors that concern one mail and that no retry can cure. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  'E_VALIDATION_ERROR',
  'E_FIELD_MISSING',
  'E_TOO_MANY_RECIPIENTS',
  'E_RECIPIENT_NOT_ALLOWED',
  'E_RECIPIENT_SUPPRESSED',
  'E_CONTENT_TOO_LARGE',
  'E_HEADER_NOT_ALLOWED',
  'E_HEADER_USE_API_FIELD',
  'E_HEADER_VALUE_INVALID',
  'E_HEADER_VALUE_TOO_LONG',
  'E_HEADER_NAME_INVALID',
  'E_HEADERS_TOO_LARGE',
  'E_HEADERS_TOO_MANY',
])

const logNoMail = perObject((_env: object) => log('debug', 'no mail is sent: MAIL_FROM is empty'))

/** Whether this deployment sends mail. The first call for a deployment without mail logs that. */
export function isMailEnabled({ env, settings }: Ctx): boolean {
  if (settings.MAIL_FROM !== '') {
    return true
  }
  logNoMail(env)
  return false
}

/**
 * Sends mails by the server of `SMTP_URL`, or else by the mail service, a few at a time and those to one address
 * one after the other, and returns the outcome of each. Refusals are logged. Without a sender nothing is sent, and all
 * count as accepted. A mail server gets the next mail after `record` has recorded that it accepted the one before, so
 * that a crash repeats one mail at most.
 */
export async function sendMails<AnyMail extends Mail>(
  ctx: Ctx,
  mails: readonly AnyMail[],
  record: (mail: AnyMail) => Promise<unknown>,
): Promise<ReadonlyMap<AnyMail, MailOutcome>> {
  if (!isMailEnabled(ctx)) {
    return new Map(mails.map((mail) => [mail, 'accepted']))
  }
  // a mail server gets all of them over one connection, for which they wait in their order
  const inLane =
    ctx.settings.SMTP_URL === null
      ? createLanes()
      : <Result>(_: string, send: () => Promise<Result>) => send()
  const outcomes = mails.map(
    async (mail) =>
      [
        mail,
        await inLane(mail.to, () => trySend(ctx, mail, () => tryRecord(mail, record))),
      ] as const,
  )
  return new Map(await Promise.all(outcomes))
}

/** A failure costs only that somebody may get a mail twice. */
async function tryRecord<AnyMail>(
  mail: AnyMail,
  record: (mail: AnyMail) => Promise<unknown>,
): Promise<void> {
  try {
    await record(mail)
  } catch (error) {
    log('warn', 'sent mails not recorded', errorFacts(error))
  }
}

async function trySend(ctx: Ctx, mail: Mail, record: () => Promise<void>): Promise<MailOutcome> {
  const { env, settings } = ctx
  if (settings.SMTP_URL !== null) {
    return trySendBySmtp(ctx, settings.SMTP_URL, mail, record)
  }
  try {
    const { to, subject, text, html, headers } = mail
    const sender = parseSender(settings.MAIL_FROM)
    const from = sender.name === '' ? sender.email : sender
    await env.MAIL.send({ from, to, subject, text, ...(html !== undefined && { html }), headers })
    return 'accepted'
  } catch (error) {
    // log the code only, because the message may quote the address
    const code = (error as { code?: unknown }).code
    const isFinal = typeof code === 'string' && PERMANENT_ERRORS.has(code)
    log(isFinal ? 'error' : 'warn', 'mail not accepted', { code, isFinal })
    return isFinal ? 'refused' : 'unsent'
  }
}

async function trySendBySmtp(
  ctx: Ctx,
  server: SmtpServer,
  mail: Mail,
  record: () => Promise<void>,
): Promise<MailOutcome> {
  // loaded on first use, because most sites use the mail service
  const { sendBySmtp } = await import('./smtp/transport.ts')
  const host = findMailHost(ctx)
  const content = {
    messageId: `<${crypto.randomUUID()}@${host}>`,
    date: ctx.now,
    ...mail,
    from: parseSender(ctx.settings.MAIL_FROM),
  }
  return sendBySmtp(ctx, server, host, content, record)
}
