import * as z from 'zod'
import { dayInvalid, fault, textTooLong } from '../../../platform/faults/fault.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { cleanLine, fold, lengthOf } from '../../../platform/lib/text.ts'
import { parseDay } from '../../../platform/lib/time.ts'
import { aliasInvalid, summaryMissing, urlInvalid } from './faults.ts'

const MAX_SUMMARY_LENGTH = 255
const MAX_ALIAS_LENGTH = 40
const MAX_TEXT_LENGTH = 65_535

const HARMLESS_SCHEMES = [
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

/** Schemes whose content a browser runs; they may look like a host with a port. */
const RUNNABLE_SCHEMES = ['javascript', 'data', 'vbscript', 'blob', 'file']

/** A summary as it is stored: one line of 1 to 255 characters. */
export function normalizeSummary(given: string | null | undefined): string {
  const summary = cleanLine(given ?? '')
  if (summary === '') {
    throw fault(summaryMissing)
  }
  return within('summary', summary, MAX_SUMMARY_LENGTH)
}

const editForm = z.object({ set: z.array(z.unknown()) })

/** The parameter of an alias, which some clients send as a list of one, or as an edit with such a `set`. */
export function aliasInput() {
  return z.preprocess(unwrapAlias, clearableText()).meta({ type: ['string', 'null'] })
}

/** The only alias of a list or of the `set` of an edit, null for an empty one; anything else as it is. */
export function unwrapAlias(given: unknown): unknown {
  const { set: value = given } = editForm.safeParse(given).data ?? {}
  return Array.isArray(value) && value.length < 2 ? (value[0] ?? null) : value
}

/** An alias as it is stored; blank means none. */
export function normalizeAlias(given: string | null): string | null {
  const alias = given?.trim() ?? ''
  if (alias === '') {
    return null
  }
  const reason =
    (lengthOf(alias) > MAX_ALIAS_LENGTH && `is longer than ${MAX_ALIAS_LENGTH} characters`) ||
    (/^#?\d+$/.test(alias) && 'could be taken for the number of a bug') ||
    (/[\s,\p{Cc}]/u.test(alias) && 'contains a comma, a space or a control character')
  if (reason) {
    throw fault(aliasInvalid, { alias: alias.slice(0, 100), reason })
  }
  return alias
}

/**
 * An address as it is stored: one with a scheme that no browser runs, or without any; the lone beginning of one is
 * none.
 */
export function normalizeUrl(given: string): string {
  const url = cleanLine(given)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && !isHarmless(scheme, url)) {
    throw fault(urlInvalid, { field: 'url', value: url.slice(0, 100) })
  }
  return url === 'http://' ? '' : within('url', url, MAX_TEXT_LENGTH)
}

function isHarmless(scheme: string, url: string): boolean {
  const isHostWithPort = /^[^:]+:\d+([/?#]|$)/.test(url) && !RUNNABLE_SCHEMES.includes(scheme)
  return HARMLESS_SCHEMES.includes(scheme) || isHostWithPort
}

/** A whiteboard as it is stored. */
export function normalizeWhiteboard(given: string): string {
  return within('whiteboard', cleanLine(given), MAX_TEXT_LENGTH)
}

/** A date as it is stored: a day, or none for a blank text. */
export function normalizeDate(field: string, given: string): string | null {
  const text = given.trim()
  if (text === '') {
    return null
  }
  const day = parseDay(text)
  if (day === null) {
    throw fault(dayInvalid, { field, value: text.slice(0, 100) })
  }
  return day
}

function within(field: string, text: string, most: number): string {
  // the folded form is stored as well, and may be many times as long
  const length =
    most === MAX_TEXT_LENGTH ? Math.max(lengthOf(text), lengthOf(fold(text))) : lengthOf(text)
  if (length > most) {
    throw fault(textTooLong, { field, length, most })
  }
  return text
}
