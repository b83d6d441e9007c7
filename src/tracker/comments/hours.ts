import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../platform/db/commit.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { columnName, sql } from '../../platform/db/sql.ts'
import { fault, notANumber, numberTooLarge, numberTooSmall } from '../../platform/faults/fault.ts'
import { textOfAny } from '../../platform/lib/text.ts'
import { type HistoryOrigin, recordHistory } from '../history/record.ts'

const MAX_HOURS = 99_999.99

/** Parses hours and rounds them to two decimals; absent and blank values are 0. */
export function parseHours(field: string, input: unknown, min = 0): number {
  if (input === undefined || input === null || (typeof input === 'string' && input.trim() === '')) {
    return 0
  }
  const value = textOfAny(input).trim().slice(0, 100)
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(value)) {
    throw fault(notANumber, { field, value })
  }
  if (Number(value) > MAX_HOURS) {
    throw fault(numberTooLarge, { field, value, most: String(MAX_HOURS) })
  }
  if (Number(value) < min) {
    throw fault(numberTooSmall, { field, value, least: String(min) })
  }
  return roundHours(Number(value))
}

/** Parses hours worked, which may be negative to correct earlier ones. Faults as of `parseHours`. */
export function parseWorkTime(input: unknown): number {
  return parseHours('work_time', input, -MAX_HOURS)
}

/** Records hours worked in the history of the bugs that meet a condition on `bugs`. */
export function recordWorkTime(bugCondition: SQL, hours: number, origin: HistoryOrigin): Statement {
  return recordHistory(
    {
      field: 'work_time',
      from: sql`bugs WHERE ${bugCondition}`,
      bugId: sql`${bugs.id}`,
      added: sql`${String(hours)}`,
    },
    origin,
  )
}

/**
 * Lowers the remaining time of bugs by hours worked, within 0 and `MAX_HOURS`, with history. The statement reads the
 * remaining time itself, so that two people can record work at once.
 */
export function lowerRemainingTimeStatements(
  bugCondition: SQL,
  hours: number,
  origin: HistoryOrigin,
): Statement[] {
  const remaining = sql`min(${MAX_HOURS}, max(0, round(${bugs.remainingTime} - ${hours}, 2)))`
  return setRemainingTimeStatements(bugCondition, remaining, origin)
}

export function clearRemainingTimeStatements(
  bugCondition: SQL,
  origin: HistoryOrigin,
): Statement[] {
  return setRemainingTimeStatements(bugCondition, sql`0`, origin)
}

function setRemainingTimeStatements(
  bugCondition: SQL,
  remaining: SQL,
  origin: HistoryOrigin,
): Statement[] {
  const format = (number: SQL) => sql`printf('%.10g', ${number})`
  return [
    recordHistory(
      {
        field: 'remaining_time',
        from: sql`bugs WHERE ${bugCondition}`,
        bugId: sql`${bugs.id}`,
        removed: format(sql`${bugs.remainingTime}`),
        added: format(remaining),
      },
      origin,
    ),
    sql`UPDATE bugs SET ${columnName(bugs.remainingTime)} = ${remaining} WHERE ${bugCondition} AND ${bugs.remainingTime} <> ${remaining}`,
  ]
}

function roundHours(hours: number): number {
  // adding nothing turns -0 into 0
  return Math.round(hours * 100) / 100 + 0
}
