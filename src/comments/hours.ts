import type { SQL } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { type Recording, recordHistory } from '../history/record.ts'

/** The most hours that one field can hold. Contract "Limits". */
export const MAX_HOURS = 99_999.99

/**
 * Hours as they are stored, with two decimals; nothing and blank are none. Faults 52 for what is no
 * number, 54 above the most and 55 below `least`. Contract "Errors", Create Comment.
 */
export function parseHours(field: string, given: unknown, least = 0): number {
  if (given === undefined || given === null || (typeof given === 'string' && given.trim() === '')) {
    return 0
  }
  const value = (typeof given === 'object' ? JSON.stringify(given) : String(given))
    .trim()
    .slice(0, 100)
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(value)) {
    throw fault('notANumber', { field, value })
  }
  if (Number(value) > MAX_HOURS) {
    throw fault('numberTooLarge', { field, value, most: String(MAX_HOURS) })
  }
  if (Number(value) < least) {
    throw fault('numberTooSmall', { field, value, least: String(least) })
  }
  return roundHours(Number(value))
}

/** Hours worked, which may be negative to correct earlier ones. Faults as for `acceptedHours`. */
export function parseWorkTime(given: unknown): number {
  return parseHours('work_time', given, -MAX_HOURS)
}

/** The history of hours worked on bugs that `these`, a condition on `bugs`, holds for. */
export function recordWorkTime(these: SQL, worked: number, recording: Recording): Statement {
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
export function lowerRemainingTimeStatements(
  these: SQL,
  worked: number,
  recording: Recording,
): Statement[] {
  const left = sql`min(${MAX_HOURS}, max(0, round(bugs.remaining_time - ${worked}, 2)))`
  return setRemainingTimeStatements(these, left, recording)
}

/** Leaves nothing to be done on bugs, whatever remained when the commit came, and tells of it. */
export function clearRemainingTimeStatements(these: SQL, recording: Recording): Statement[] {
  return setRemainingTimeStatements(these, sql`0`, recording)
}

function setRemainingTimeStatements(these: SQL, left: SQL, recording: Recording): Statement[] {
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

function roundHours(hours: number): number {
  // adding nothing turns -0 into 0
  return Math.round(hours * 100) / 100 + 0
}
