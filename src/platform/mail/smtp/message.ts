import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { toOneLine } from '../layout.ts'

/** What a message says, and to whom. */
export type SmtpContent = {
  readonly from: { readonly name: string; readonly email: string }
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: Readonly<Record<string, string>>
  /** In angle brackets. */
  readonly messageId: string
  /** Unix seconds. */
  readonly date: number
}

/** A message as it travels; `from` and `to` are addresses of the envelope. */
export type Message = {
  readonly from: string
  readonly to: string
  readonly bytes: Buffer
}

/** One address without quotes, comments and blanks, so that no parser reads anything else into it. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,:;"@]+@[^\s\p{Cc}<>()[\]\\,:;"@]+$/u

/** What a header cannot hold as it is: other scripts, what looks encoded, and words longer than a line. */
const NEEDS_ENCODING = /[^\x20-\x7e]|=\?|\S{900}/

const ENCODED_WORD_LENGTH = 52

/**
 * Composes a message of ASCII lines: texts are quoted-printable, headers are folded and encoded, line breaks in
 * them become blanks. Throws when the recipient is not one address.
 */
export async function composeMessage(content: SmtpContent): Promise<Message> {
  const { from, to, subject, text, html, headers, messageId, date } = content
  if (!ADDRESS.test(to)) {
    throw new InvalidAddressError()
  }
  const node = new MailComposer({
    from: { name: toOneLine(from.name), address: from.email },
    to: [{ name: '', address: to }],
    text: normalizeLineBreaks(text),
    ...(html !== undefined && { html: normalizeLineBreaks(html) }),
    headers: Object.fromEntries(
      Object.entries({ Subject: subject, ...headers }).map(([name, value]) => [
        name,
        encodeHeader(toOneLine(value)),
      ]),
    ),
    messageId: toOneLine(messageId),
    date: new Date(date * 1000),
    textEncoding: 'quoted-printable',
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  const envelope = node.getEnvelope()
  const [recipient] = envelope.to
  if (recipient === undefined || envelope.from === false) {
    throw new InvalidAddressError()
  }
  return { from: envelope.from, to: recipient, bytes: await node.build() }
}

/** nodemailer folds plain headers, but keeps one that looks encoded as it is. */
function encodeHeader(line: string) {
  return NEEDS_ENCODING.test(line)
    ? { prepared: true, foldLines: true, value: encodeWord(line, 'Q', ENCODED_WORD_LENGTH) }
    : line
}

/** Servers and readers disagree about a carriage return alone. */
function normalizeLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** Thrown for a recipient that is not exactly one address. It does not name it. */
export class InvalidAddressError extends Error {
  override readonly name = 'InvalidAddressError'
}
