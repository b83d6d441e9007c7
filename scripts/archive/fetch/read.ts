import { parseDay, parseMoment, toDatetime } from '../../../src/platform/lib/time.ts'

/** The members of an object as a source sent them: servers send numbers as texts, truth as numbers, null for a list. */
export type Members = Readonly<Record<string, unknown>>

export function readMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {}
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value)
    ? value
    : value === null || value === undefined || value === ''
      ? []
      : [value]
}

/** Empty for what is no text or number. */
export function readText(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' ? text.replaceAll('\0', '') : ''
}

export function readTexts(value: unknown): string[] {
  return readList(value)
    .map(readText)
    .filter((text) => text !== '')
}

export function readNumber(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : 0
}

/** A number above 0; null for anything else. */
export function readId(value: unknown): number | null {
  const number = readNumber(value)
  return Number.isSafeInteger(number) && number > 0 ? number : null
}

export function readIds(value: unknown): number[] {
  return readList(value).flatMap((one) => readId(one) ?? [])
}

export function readTruth(value: unknown, fallback = false): boolean {
  return value === undefined || value === null
    ? fallback
    : value === true || value === 1 || value === '1' || value === 'true'
}

/** Whether something is for insiders alone: only what plainly says no is for everybody. */
export function readPrivacy(value: unknown): boolean {
  return ![undefined, null, false, 0, '0', 'false', ''].includes(value as never)
}

/** A time in UTC, which some sources write without zone or with parts of seconds; null for what is none. */
export function readTime(value: unknown): string | null {
  const text = readText(value)
    .trim()
    .replace(/^(\d{4})[.-](\d\d)[.-](\d\d)[ T]/, '$1-$2-$3T')
    .replace(/\.\d+/, '')
    .replace(/ (?=[+-]\d\d:?\d\d$)/, '')
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`
  const own = parseMoment(zoned)
  const moment = own ?? Math.floor(Date.parse(zoned) / 1000)
  return Number.isFinite(moment) ? toDatetime(moment) : null
}

export function readDay(value: unknown): string | null {
  return parseDay(readText(value).slice(0, 10))
}

/** A login, also where an object describes its owner. */
export function readLogin(value: unknown): string {
  const { name, email } = readMembers(value)
  return typeof value === 'string' ? value.trim() : readText(name) || readText(email)
}
