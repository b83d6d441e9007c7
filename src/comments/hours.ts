import type { SQL } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { type HistoryOrigin, recordHistory } from '../history/record.ts'

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

/** The history of hours worked on bugs that `these`, a condition on `bugs`, holds for. */
export function recordWork(these: SQL, worked: number, recording: HistoryOrigin): Statement {
  const told = sql`${String(worked)}`
  return recordHistory(
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

/**
 * Lowers what remains of bugs by hours worked, never below none nor above the most, and tells of it. What remains is read
 * inside the commit, so that many people may tell of their work at once. Contract "Comments", work_time.
 */
export function lowerRemaining(these: SQL, worked: number, recording: HistoryOrigin): Statement[] {
  const left = sql`min(${MOST_HOURS}, max(0, round(bugs.remaining_time - ${worked}, 2)))`
  return setRemaining(these, left, recording)
}

/** Leaves nothing to be done on bugs, whatever remained when the commit came, and tells of it. */
export function endRemaining(these: SQL, recording: HistoryOrigin): Statement[] {
  return setRemaining(these, sql`0`, recording)
}

function setRemaining(these: SQL, left: SQL, recording: HistoryOrigin): Statement[] {
  const told = (number: SQL) => sql`printf('%.10g', ${number})`
  const before = told(sql`bugs.remaining_time`)
  return [
    recordHistory(
      {
        field: 'remaining_time',
        from: sql`bugs WHERE ${these}`,
        bugId: sql`bugs.id`,
        removed: before,
        removedFolded: before,
        added: told(left),
        addedFolded: told(left),
      },
      recording,
    ),
    sql`UPDATE bugs SET remaining_time = ${left} WHERE ${these} AND remaining_time <> ${left}`,
  ]
}

function twoDecimals(hours: number): number {
  // adding nothing turns -0 into 0
  return Math.round(hours * 100) / 100 + 0
}
