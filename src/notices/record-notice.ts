import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import type { Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import type { QueueMessage } from '../queue/messages.ts'

/** What happened to some bugs at once, by one person. */
export type BugEvent = {
  readonly kind: 'created' | 'changed'
  readonly authorId: number
  /** Unix seconds. */
  readonly at: number
  readonly isMinor: boolean
}

/** A notice that has been written. `at` is the moment of the change, in Unix seconds. */
export type RecordedNotice = { readonly id: number; readonly bugId: number; readonly at: number }

/** How long a nudge lies on the queue. */
const DELAY_SECONDS = 1

/** Well within that time: a notice is in the database before it counts as covered. */
const DEBOUNCE_MS = 500

/** Until when, in milliseconds, the nudge that this isolate sent last speaks for further notices. */
const debouncedUntil = new WeakMap<Queue, number>()

/**
 * What rides in every commit that does something to bugs, ahead of what it does: a notice for each bug
 * that `bugIds`, a select of one column named `bug_id`, answers; the time of its last change, unless the
 * same commit has just filed it `at` that time; and the author's last activity, unless there was no bug.
 * The time of a bug never goes back, whichever machine writes, so that its history is in order. The
 * statements behind these find the notice and the moment of a bug with `noticeOf` and `momentOf`.
 */
export function recordNotice(bugIds: SQL, happening: BugEvent): Statement[] {
  const { kind, authorId, at, isMinor } = happening
  return [
    sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, is_minor, next_attempt_at)
      SELECT bugs.id, ${authorId}, ${kind}, max(bugs.changed_at, ${at}), ${isMinor}, ${at}
      FROM bugs WHERE bugs.id IN (${bugIds}) RETURNING id, bug_id, happened_at`,
    ...(kind === 'created'
      ? []
      : [sql`UPDATE bugs SET changed_at = max(changed_at, ${at}) WHERE id IN (${bugIds})`]),
    sql`UPDATE users SET last_activity_at = ${at} WHERE id = ${authorId} AND changes() > 0`,
  ]
}

/** The newest notice of the bug whose ID is in `column`: inside the commit that made it, that very one. */
export function noticeOf(column: SQL): SQL {
  return sql`(SELECT max(n.id) FROM notices n WHERE n.bug_id = ${column})`
}

type Row = Record<string, unknown>

/** The notices that a commit wrote: the rows of its part made by `recordNotice`. */
export function recordedNotices(rows: readonly Row[]): RecordedNotice[]
/** Transitional: the rows of all statements of a commit without named parts. */
export function recordedNotices(rows: readonly (readonly Row[])[]): RecordedNotice[]
export function recordedNotices(rows: readonly (Row | readonly Row[])[]): RecordedNotice[] {
  return rows
    .flat()
    .filter((row) => 'happened_at' in row)
    .map((row) => ({
      id: Number(row.id),
      bugId: Number(row.bug_id),
      at: Number(row.happened_at),
    }))
}

/**
 * Tells the queue of new notices once the answer is on its way. The message lies there for a second, and
 * whoever takes it tells of all that is due by then: notices that follow within half of it need no message
 * of their own. A lost nudge is made up for by the sweep.
 */
export function enqueueDelivery({ env, later }: Ctx, [first]: readonly RecordedNotice[]): void {
  const { EVENTS } = env
  if (first === undefined) {
    return
  }
  const message: QueueMessage = { kind: 'notice', id: first.id }
  // one whose turn never comes, because its caller has hung up, must not have silenced others
  later(async () => {
    const now = Date.now()
    if (now < (debouncedUntil.get(EVENTS) ?? 0)) {
      return
    }
    debouncedUntil.set(EVENTS, now + DEBOUNCE_MS)
    try {
      await EVENTS.send(message, { delaySeconds: DELAY_SECONDS })
    } catch (error) {
      debouncedUntil.delete(EVENTS)
      throw error
    }
  })
}
