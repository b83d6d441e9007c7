const DAY = 86_400

const ABSOLUTE =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:Z|([+-])(\d\d):?(\d\d))?)?$/i
const RELATIVE = /^([+-]?)(\d{1,6})([hdwmy])(s?)$/i

/** Unix seconds of a date in a search, absolute or relative to `now`; null when it is none. */
export function readDate(text: string, now: number): number | null {
  if (text.toLowerCase() === 'now') {
    return now
  }
  const relative = RELATIVE.exec(text)
  if (relative !== null) {
    return readRelative(relative.slice(1), now)
  }
  const parts = ABSOLUTE.exec(text)
  return parts === null ? null : readAbsolute(parts)
}

function readAbsolute(parts: RegExpExecArray): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const midnight = Date.UTC(year, month - 1, day)
  const shown = new Date(midnight).toISOString().slice(0, 10)
  const asked = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
  if (shown !== asked || hour > 23 || minute > 59 || second > 59) {
    return null
  }
  const [, , , , , , , sign, zoneHours = '0', zoneMinutes = '0'] = parts
  const zone = (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60) * (sign === '-' ? -1 : 1)
  return midnight / 1000 + hour * 3600 + minute * 60 + second - zone
}

function readRelative([sign, digits, letter = '', cut]: string[], now: number): number {
  const amount = Number(digits) * (sign === '+' ? 1 : -1)
  const unit = letter.toLowerCase()
  const moved = move(now, amount, unit)
  return cut !== '' || amount === 0 ? startOfUnit(moved, unit) : moved
}

function move(now: number, amount: number, unit: string): number {
  switch (unit) {
    case 'h':
      return now + amount * 3600
    case 'd':
      return now + amount * DAY
    case 'w':
      return now + amount * 7 * DAY
    default:
      return moveMonths(now, unit === 'y' ? amount * 12 : amount)
  }
}

/** The same day of another month, or the last day of that month. */
function moveMonths(now: number, months: number): number {
  const at = new Date(now * 1000)
  const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1))
  const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)
  const days = (next - first.getTime()) / 1000 / DAY
  const day = Math.min(at.getUTCDate(), days)
  return first.getTime() / 1000 + (day - 1) * DAY + (now - startOfDay(now))
}

function startOfUnit(seconds: number, unit: string): number {
  const midnight = startOfDay(seconds)
  const at = new Date(seconds * 1000)
  switch (unit) {
    case 'h':
      return Math.floor(seconds / 3600) * 3600
    case 'w':
      return midnight - at.getUTCDay() * DAY
    case 'm':
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1) / 1000
    case 'y':
      return Date.UTC(at.getUTCFullYear(), 0, 1) / 1000
    default:
      return midnight
  }
}

export function startOfDay(seconds: number): number {
  return Math.floor(seconds / DAY) * DAY
}

/** `YYYY-MM-DD HH:MM:SS`, which is the text of a date for operators on texts. */
export function textOfMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
