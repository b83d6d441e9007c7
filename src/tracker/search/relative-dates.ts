import { parseMoment } from '../../platform/lib/time.ts'

const DAY = 86_400
const SECONDS: Readonly<Record<string, number>> = { h: 3600, d: DAY, w: 7 * DAY }

/**
 * Unix seconds of a date in a search: absolute, `now`, or relative to `now` as in `-7d`, `2w`, `+1m`,
 * `0d`. A unit is h, d, w, m or y; only `+` leads into the future; a final `s`, or an amount of 0, cuts
 * to the start of the hour, day, week (Sunday), month or year. Null when it is none of these.
 */
export function parseSearchDate(text: string, now: number): number | null {
  const word = text.trim().toLowerCase()
  if (word === 'now') {
    return now
  }
  const [, sign = '', digits = '', unit = '', cut = ''] =
    /^([+-]?)(\d{1,6})([hdwmy])(s?)$/.exec(word) ?? []
  if (unit === '') {
    return parseMoment(text)
  }
  const amount = Number(digits) * (sign === '+' ? 1 : -1)
  const moved = addUnits(now, amount, unit)
  const moment = cut === 's' || amount === 0 ? startOf(moved, unit) : moved
  return Number.isNaN(moment) ? null : moment
}

function addUnits(now: number, amount: number, unit: string): number {
  const seconds = SECONDS[unit]
  return seconds === undefined
    ? addMonths(now, unit === 'y' ? 12 * amount : amount)
    : now + seconds * amount
}

/** The same day and time some months on, or the last day of that month when it is shorter. */
function addMonths(now: number, months: number): number {
  const from = new Date(now * 1000)
  const year = from.getUTCFullYear()
  const month = from.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)) / 1000
  return day + (now - startOf(now, 'd'))
}

function startOf(moment: number, unit: string): number {
  const at = new Date(moment * 1000)
  const year = at.getUTCFullYear()
  const midnight = Date.UTC(year, at.getUTCMonth(), at.getUTCDate()) / 1000
  switch (unit) {
    case 'h':
      return moment - ((moment - midnight) % 3600)
    case 'w':
      return midnight - at.getUTCDay() * DAY
    case 'm':
      return Date.UTC(year, at.getUTCMonth(), 1) / 1000
    case 'y':
      return Date.UTC(year, 0, 1) / 1000
    default:
      return midnight
  }
}
