import { toDatetime } from '../../platform/lib/time.ts'
import { LINE_WIDTH, REPLIES_UNREAD, toOneLine, wrapText } from '../../platform/mail/layout.ts'
import type { Mail } from '../../platform/mail/send.ts'

/** A key that expires, and the mail about it. */
type ApiKeyMailContent = {
  readonly id: number
  readonly keyId: number
  readonly description: string
  readonly prefix: string
  /** Unix seconds, as is `now`. */
  readonly expiresAt: number
  readonly now: number
  readonly login: string
  /** An empty `baseUrl` leaves links out. */
  readonly site: { readonly baseUrl: string; readonly host: string }
}

/** Writes the mail about a key that expires to its owner. */
export function composeApiKeyMail(content: ApiKeyMailContent): Mail {
  const { id, keyId, description, prefix, expiresAt, now, login, site } = content
  const isOver = expiresAt <= now
  const name = toOneLine(description) || `${prefix}…`
  const at = toDatetime(expiresAt)
  const paragraphs = [
    isOver
      ? `Your API key ${keyId} (${prefix}…), ${name}, expired at ${at} and no longer works.`
      : `Your API key ${keyId} (${prefix}…), ${name}, expires at ${at}. What uses it is refused from then on.`,
    isOver
      ? 'Make a new one with POST /rest/api_key.'
      : `Replace it in time: with a login or an unlimited key, POST /rest/api_key/${keyId}/rotate answers a new key with the same rights, and the old one works for another day.`,
    ...(site.baseUrl === '' ? [] : [`${site.baseUrl}/account?tab=apikey`]),
    REPLIES_UNREAD,
  ]
  return {
    to: login,
    subject: `API key ${isOver ? 'has expired' : 'expires'}: ${name}`,
    text: `${paragraphs.map((paragraph) => wrapText(paragraph, LINE_WIDTH)).join('\n\n')}\n`,
    messageId: `<api-key-${keyId}-${expiresAt}-${id}@${site.host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
