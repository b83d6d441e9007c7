import type { Ctx } from '../context.ts'
import { log } from '../lib/log.ts'

/** A mail to one address, in plain text. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** Some mails may still be accepted later. The message names no address. */
export class MailsLeft extends Error {
  override readonly name = 'MailsLeft'
}

/** Connections that may wait at once, with room left for D1. */
const AT_ONCE = 4

/** Refusals that concern the one mail and will be the same tomorrow. */
const FINAL = new Set([
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

const told = new WeakSet<object>()

/** Whether this deployment sends mail at all; that it does not is said once, at debug level. */
export function sendsMail({ env, settings }: Ctx): boolean {
  if (settings.MAIL_FROM !== '') {
    return true
  }
  if (!told.has(env)) {
    told.add(env)
    log('debug', 'no mail is sent: MAIL_FROM is empty')
  }
  return false
}

/**
 * Hands mails to the mail service, few at a time, and answers those that are settled: accepted, or
 * refused for good, which is logged. The others may be accepted later. Without a sender nothing is sent,
 * and that settles all.
 */
export async function sendMails<Sent extends Mail>(
  ctx: Ctx,
  mails: readonly Sent[],
): Promise<Sent[]> {
  if (!sendsMail(ctx)) {
    return [...mails]
  }
  const waiting = [...mails]
  const settled: Sent[] = []
  async function sendNext(): Promise<void> {
    for (let mail = waiting.shift(); mail !== undefined; mail = waiting.shift()) {
      if (await isSettled(ctx, mail)) {
        settled.push(mail)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  return settled
}

async function isSettled({ env, settings }: Ctx, mail: Mail): Promise<boolean> {
  try {
    const { to, subject, text, headers } = mail
    await env.MAIL.send({ from: senderIn(settings.MAIL_FROM), to, subject, text, headers })
    return true
  } catch (error) {
    // the message of such an error may quote the address
    const code = (error as { code?: unknown }).code
    const isFinal = typeof code === 'string' && FINAL.has(code)
    log(isFinal ? 'error' : 'warn', 'mail not accepted', { code, isFinal })
    return isFinal
  }
}

/** The sender as address alone or as `Name <address>`. */
function senderIn(text: string): string | { name: string; email: string } {
  const [, name, email] = /^\s*(\S.*?)\s*<([^<>]+)>\s*$/.exec(text) ?? []
  return name === undefined || email === undefined
    ? text
    : { name: name.replace(/^"(.*)"$/, '$1'), email }
}
