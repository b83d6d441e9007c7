import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, columnName, columnNames, sql } from '../../platform/db/sql.ts'
import { Tally } from '../../platform/lib/isolate.ts'
import type { QueueMessage } from '../../platform/outbox/messages.ts'

const n = aliasColumns(notices, 'n')

const NOTICES_COLUMNS = columnNames(
  notices.bugId,
  notices.authorId,
  notices.kind,
  notices.happenedAt,
  notices.isMinor,
  notices.nextAttemptAt,
)

/** What one person did to some bugs in one commit. */
type BugEvent = {
  readonly kind: 'created' | 'changed'
  readonly authorId: number
  /** Unix seconds. */
  readonly at: number
  readonly isMinor: boolean
}

/** A notice that a commit wrote. `at` is the time of the change in Unix seconds. */
export type RecordedNotice = { readonly id: number; readonly bugId: number; readonly at: number }

const DELAY_SECONDS = 1

/** Well below the delay, so that a notice without a message of its own is written before delivery begins. */
const DEBOUNCE_MS = 500

/** The time in milliseconds until which the last message of this isolate serves for further notices. */
const debouncedUntil = new Tally<Queue>()

/**
 * Statements for every commit that changes bugs, ahead of the changes: a notice for each bug of `bugIds`, a
 * select of `bug_id`; the time of its last change, unless it is new; and the last activity of the author. The
 * time of a bug never decreases, even if clocks differ, so that its history is in order. Later statements of
 * the commit find notice and time by `noticeOf` and `bugChangedAt`.
 */
export function recordNotice(bugIds: SQL, event: BugEvent): Statement[] {
  const { kind, authorId, at, isMinor } = event
  return [
    sql`INSERT INTO notices (${NOTICES_COLUMNS})
      SELECT ${bugs.id}, ${authorId}, ${kind}, max(${bugs.changedAt}, ${at}), ${isMinor}, ${at}
      FROM bugs WHERE ${bugs.id} IN (${bugIds}) RETURNING ${columnNames(notices.id, notices.bugId, notices.happenedAt)}`,
    ...(kind === 'created'
      ? []
      : [
          sql`UPDATE bugs SET ${columnName(bugs.changedAt)} = max(${bugs.changedAt}, ${at}) WHERE ${bugs.id} IN (${bugIds})`,
        ]),
    sql`UPDATE users SET ${columnName(users.lastActivityAt)} = ${at} WHERE ${users.id} = ${authorId} AND changes() > 0`,
  ]
}

/** The ID of the newest notice of the bug with the ID in `column`: in a commit, the notice that it wrote. */
export function noticeOf(column: SQL): SQL {
  return sql`(SELECT max(${n.id}) FROM notices n WHERE ${n.bugId} = ${column})`
}

type Row = Record<string, unknown>

/** The notices that a commit wrote, from the rows of its `recordNotice` part. */
export function recordedNotices(rows: readonly Row[]): RecordedNotice[] {
  return rows.map((row) => ({
    id: Number(row.id),
    bugId: Number(row.bug_id),
    at: Number(row.happened_at),
  }))
}

/**
 * Sends a queue message after the response. The consumer delivers all notices that are due, so one message
 * serves those of half a second. The sweep finds notices whose message was lost.
 */
export function announceNotices({ env, defer }: Ctx, [first]: readonly RecordedNotice[]): void {
  const { EVENTS } = env
  if (first === undefined) {
    return
  }
  const message: QueueMessage = { kind: 'notice', id: first.id }
  // debounced in the task itself: a task that never runs must not suppress the messages of others
  defer(async () => {
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
