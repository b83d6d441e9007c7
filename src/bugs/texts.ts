import { fault } from '../faults.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const LONGEST_SUMMARY = 255
const LONGEST_ALIAS = 40
const LONGEST_TEXT = 65_535
const HARMLESS = [
  'http',
  'https',
  'ftp',
  'ftps',
  'irc',
  'ircs',
  'news',
  'nntp',
  'mailto',
  'gopher',
  'xmpp',
]

/** A summary as it is stored: one line of 1 to 255 characters. Faults 107 and 104. Contract "Create Bug". */
export function acceptedSummary(given: string | null | undefined): string {
  const summary = cleanLine(given ?? '')
  if (summary === '') {
    throw fault('summaryMissing')
  }
  return within('summary', summary, LONGEST_SUMMARY)
}

/** An alias as it is stored; blank means none. Fault 103. Contract "Bug", alias. */
export function acceptedAlias(given: string | null): string | null {
  const alias = given?.trim() ?? ''
  if (alias === '') {
    return null
  }
  const reason =
    (lengthOf(alias) > LONGEST_ALIAS && `is longer than ${LONGEST_ALIAS} characters`) ||
    (/^\d+$/.test(alias) && 'consists of digits only') ||
    (/[\s,]/.test(alias) && 'contains a comma or a space')
  if (reason) {
    throw fault('aliasInvalid', { alias, reason })
  }
  return alias
}

/** An address as it is stored. Schemes that a browser would run are refused with 112. Contract "Bug", url. */
export function acceptedUrl(given: string): string {
  const url = cleanLine(given)
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && !HARMLESS.includes(scheme)) {
    throw fault('urlInvalid', { field: 'url', value: url.slice(0, 100) })
  }
  return url === 'http://' ? '' : within('url', url, LONGEST_TEXT)
}

/** A whiteboard as it is stored. Contract "Bug", whiteboard. */
export function acceptedWhiteboard(given: string): string {
  return within('whiteboard', cleanLine(given), LONGEST_TEXT)
}

function within(field: string, text: string, most: number): string {
  const length = lengthOf(text)
  if (length > most) {
    throw fault('textTooLong', { field, length, most })
  }
  return text
}
