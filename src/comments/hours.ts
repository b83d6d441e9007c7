import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { fault } from '../faults.ts'
import { type Recording, record } from '../history/record.ts'

/** The most hours that one field can hold. Contract "Limits". */
export const MOST_HOURS = 99_999.99

/**
 * Hours as they are stored, with two decimals; nothing and blank are none. Faults 52 for what is no
 * number, 54 above the most and 55 below `least`. Contract "Errors", Create Comment.
 */
export function acceptedHours(field: string, given: unknown, least = 0): number {
  if (given === undefined || given === null || (typeof given === 'string' && given.trim() === '')) {
    return 0
  }
  const value = (typeof given === 'object' ? JSON.stringify(given) : String(given))
    .trim()
    .slice(0, 100)
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(value)) {
    throw fault('notANumber', { field, value })
  }
  if (Number(value) > MOST_HOURS) {
    throw fault('numberTooLarge', { field, value, most: String(MOST_HOURS) })
  }
  if (Number(value) < least) {
    throw fault('numberTooSmall', { field, value, least: String(least) })
  }
  return twoDecimals(Number(value))
}

/** Hours worked, which may be negative to correct earlier ones. Faults as for `acceptedHours`. */
export function acceptedWork(given: unknown): number {
  return acceptedHours('work_time', given, -MOST_HOURS)
}

/** What is left of remaining hours after work: never less than none. Contract "Comments", work_time. */
export function hoursLeft(remaining: number, worked: number): number {
  return Math.max(0, twoDecimals(remaining - worked))
}

/** The history of hours worked on bugs that `these`, a condition on `bugs`, holds for. */
export function recordWork(these: SQL, worked: number, recording: Recording): Statement {
  const told = sql`${String(worked)}`
  return record(
    {
      field: 'work_time',
      from: sql`bugs WHERE ${these}`,
      bugId: sql`bugs.id`,
      removed: sql`''`,
      removedFolded: sql`''`,
      added: told,
      addedFolded: told,
    },
    recording,
  )
}

function twoDecimals(hours: number): number {
  // adding nothing turns -0 into 0
  return Math.round(hours * 100) / 100 + 0
}
