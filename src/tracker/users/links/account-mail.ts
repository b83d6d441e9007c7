import { toDatetime } from '../../../platform/lib/time.ts'
import { LINE_WIDTH, REPLIES_UNREAD, wrapText } from '../../../platform/mail/layout.ts'
import type { Mail } from '../../../platform/mail/send.ts'
import type { LinkKind } from './links.ts'

/** A mail about an account. */
type AccountMailContent = {
  readonly id: number
  readonly kind: LinkKind
  readonly to: string
  readonly token: string
  /** The login that the account has; that of the mail for an account that is yet to be made. */
  readonly login: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly createdAt: number
  readonly site: { readonly baseUrl: string; readonly host: string }
}

/** Writes the mail that carries a link. It quotes no text that somebody else may have chosen but the login. */
export function composeAccountMail(content: AccountMailContent): Mail {
  const { id, kind, to, token, login, expiresAt, createdAt, site } = content
  const { subject, reason, action } = describeMail(kind, login, site.baseUrl)
  const page = kind === 'email' ? 'email' : 'password'
  const paragraphs = [
    reason,
    `${action} This link works once, until ${toDatetime(expiresAt)}:`,
    `${site.baseUrl}/account/${page}?token=${token}`,
    'If you did not expect this mail, you need not do anything: without the link nothing changes.',
    REPLIES_UNREAD,
  ]
  return {
    to,
    subject,
    text: `${paragraphs.map((paragraph) => wrapText(paragraph, LINE_WIDTH)).join('\n\n')}\n`,
    messageId: `<account-${id}-${createdAt}@${site.host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

function describeMail(kind: LinkKind, login: string, baseUrl: string) {
  switch (kind) {
    case 'password':
      return {
        subject: 'A new password',
        reason: `Somebody, probably you, asked for a new password for the account ${login} at ${baseUrl}.`,
        action: 'Set it there.',
      }
    case 'invitation':
      return {
        subject: 'Your account at the bug tracker',
        reason: `An administrator has made the account ${login} for you at ${baseUrl}.`,
        action: 'Set a password for it there.',
      }
    case 'registration':
      return {
        subject: 'Your account at the bug tracker',
        reason: `Somebody, probably you, asked for an account for this address at ${baseUrl}.`,
        action: 'Set a password there, and the account is yours.',
      }
    case 'email':
      return {
        subject: 'Your new address at the bug tracker',
        reason: `The owner of the account ${login} at ${baseUrl} wants to log in with this address from now on.`,
        action: 'Confirm there that it is yours.',
      }
  }
}
