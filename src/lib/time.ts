const DAY = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const ZONE = '(?:\\s*(?<zone>z|[+-]\\d{2}(?::?\\d{2})?))?'
const EXTENDED = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:(?:t|\\s+)(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d+)?)?${ZONE})?$`,
  'i',
)
const COMPACT = new RegExp(
  `^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})t(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})(?:[.,]\\d+)?${ZONE}$`,
  'i',
)

/** Unix seconds as the wire's datetime, `YYYY-MM-DDTHH:MM:SSZ`, never with fractions ("Data types"). */
export function toDatetime(seconds: number): string {
  return `${toIso(seconds).slice(0, 19)}Z`
}

/** The UTC calendar day of a moment in Unix seconds as the wire's date, `YYYY-MM-DD` ("Data types"). */
export function toDay(seconds: number): string {
  return toIso(seconds).slice(0, 10)
}

/**
 * Unix seconds of a date or datetime as clients write it: ISO date; ISO datetime with `T` or a blank
 * between, seconds and fraction optional (fractions are dropped); or compact `YYYYMMDDTHH:MM:SS`. The
 * zone is `Z`, a numeric offset or nothing, which means UTC. Null when unreadable or when no such
 * moment exists, as on 30 February.
 */
export function parseMoment(text: string): number | null {
  const trimmed = text.trim()
  const parts = (EXTENDED.exec(trimmed) ?? COMPACT.exec(trimmed))?.groups
  if (parts === undefined) {
    return null
  }
  const day = parseDay(`${parts.year}-${parts.month}-${parts.day}`)
  const clock = secondsOfClock(parts.hour ?? '00', parts.minute ?? '00', parts.second ?? '00')
  const offset = secondsOfOffset(parts.zone ?? 'Z')
  if (day === null || clock === null || offset === null) {
    return null
  }
  const seconds = startOfDay(day) + clock - offset
  return isFourDigitYear(seconds) ? seconds : null
}

/**
 * A real calendar day as `YYYY-MM-DD`. One-digit months and days are tolerated and padded; anything
 * else, a time of day included, is null.
 */
export function parseDay(text: string): string | null {
  const parts = DAY.exec(text.trim())
  if (parts === null) {
    return null
  }
  const [, year = '', month = '', day = ''] = parts
  const padded = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const start = startOfDay(padded)
  // Engines roll 30 February over to March, so only a day that survives the round trip is real.
  return !Number.isNaN(start) && toDay(start) === padded ? padded : null
}

function toIso(seconds: number): string {
  return new Date(Math.floor(seconds) * 1000).toISOString()
}

function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}

function secondsOfClock(hour: string, minute: string, second: string): number | null {
  const possible = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  return possible ? Number(hour) * 3600 + Number(minute) * 60 + Number(second) : null
}

function secondsOfOffset(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') {
    return 0
  }
  const size = secondsOfClock(zone.slice(1, 3), zone.slice(3).replace(':', '') || '00', '00')
  return size === null || zone.startsWith('+') ? size : -size
}

/** An offset can push the last or first hours of the calendar into years that the wire cannot write. */
function isFourDigitYear(seconds: number): boolean {
  return seconds >= startOfDay('0000-01-01') && seconds < startOfDay('9999-12-31') + 86_400
}
