const DAY_SECONDS = 86_400
const DAY_PATTERN = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const ZONE_GROUP = '(?:\\s*(?<zone>z|[+-]\\d{2}(?::?\\d{2})?))?'
const EXTENDED_DATETIME = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:(?:t|\\s+)(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d+)?)?${ZONE_GROUP})?$`,
  'i',
)
const COMPACT_DATETIME = new RegExp(
  `^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})t(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})(?:[.,]\\d+)?${ZONE_GROUP}$`,
  'i',
)

/** Writes Unix seconds as `YYYY-MM-DDTHH:MM:SSZ`, without fractions. */
export function toDatetime(seconds: number): string {
  const whole = Math.floor(seconds)
  const ofDay = ((whole % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS
  const [hour, minute] = [Math.floor(ofDay / 3600), Math.floor((ofDay % 3600) / 60)]
  return `${nameDay((whole - ofDay) / DAY_SECONDS)}T${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(ofDay % 60)}Z`
}

/** Writes the UTC day of Unix seconds as `YYYY-MM-DD`. */
export function toDay(seconds: number): string {
  return nameDay(Math.floor(seconds / DAY_SECONDS))
}

/**
 * Parses a date or datetime into Unix seconds: an ISO date; an ISO datetime with `T` or a space, where
 * seconds and fraction are optional (the fraction is dropped); or compact `YYYYMMDDTHH:MM:SS`. The zone is
 * `Z`, a numeric offset, or UTC if missing. Null when malformed or nonexistent, such as 30 February.
 */
export function parseMoment(text: string): number | null {
  const trimmed = text.trim()
  const parts = (EXTENDED_DATETIME.exec(trimmed) ?? COMPACT_DATETIME.exec(trimmed))?.groups
  if (parts === undefined) {
    return null
  }
  const day = parseDay(`${parts.year}-${parts.month}-${parts.day}`)
  const clock = parseClock(parts.hour ?? '00', parts.minute ?? '00', parts.second ?? '00')
  const offset = parseOffset(parts.zone ?? 'Z')
  if (day === null || clock === null || offset === null) {
    return null
  }
  const seconds = startOfDay(day) + clock - offset
  return isFourDigitYear(seconds) ? seconds : null
}

/**
 * Parses a calendar day into `YYYY-MM-DD`; months and days may have one digit. Null when malformed or
 * nonexistent; a time of day is malformed.
 */
export function parseDay(text: string): string | null {
  const parts = DAY_PATTERN.exec(text.trim())
  if (parts === null) {
    return null
  }
  const [, year = '', month = '', day = ''] = parts
  const padded = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const start = startOfDay(padded)
  // Date.parse may turn 30 February into 1 March, so compare the day
  return !Number.isNaN(start) && toDay(start) === padded ? padded : null
}

function nameDay(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10)
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`
}

/** The Unix seconds at which a day, `YYYY-MM-DD`, begins in UTC. */
export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000
}

function parseClock(hour: string, minute: string, second: string): number | null {
  const exists = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  return exists ? Number(hour) * 3600 + Number(minute) * 60 + Number(second) : null
}

function parseOffset(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') {
    return 0
  }
  const size = parseClock(zone.slice(1, 3), zone.slice(3).replace(':', '') || '00', '00')
  return size === null || zone.startsWith('+') ? size : -size
}

/** An offset can move a datetime into a year that does not have four digits, which no answer can hold. */
function isFourDigitYear(seconds: number): boolean {
  return seconds >= startOfDay('0000-01-01') && seconds < startOfDay('9999-12-31') + DAY_SECONDS
}
