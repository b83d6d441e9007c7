import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import type { Statement } from '../db/commit.ts'
import type { Message } from '../queue/messages.ts'

/** What happened to some bugs at once, by one person. */
export type Happening = {
  readonly kind: 'created' | 'changed'
  readonly authorId: number
  /** Unix seconds. */
  readonly at: number
  readonly isMinor: boolean
}

const MOST_MESSAGES = 100

/**
 * The notices that ride in a commit: one for each bug that `bugIds`, a select of one column named
 * `bug_id`, answers. Returns their IDs as `id`, for `nudge`. The statements behind it find the notice of
 * a bug with `noticeOf`.
 */
export function announce(bugIds: SQL, happening: Happening): Statement {
  const { kind, authorId, at, isMinor } = happening
  return sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, is_minor, next_attempt_at)
    SELECT bug_id, ${authorId}, ${kind}, ${at}, ${isMinor}, ${at} FROM (${bugIds}) RETURNING id`
}

/** The newest notice of the bug whose ID is in `column`: inside the commit that made it, that very one. */
export function noticeOf(column: SQL): SQL {
  return sql`(SELECT max(n.id) FROM notices n WHERE n.bug_id = ${column})`
}

/** Tells the queue of new notices once the answer is on its way. A lost nudge is made up for by the sweep. */
export function nudge(ctx: Ctx, rows: Record<string, unknown>[]): void {
  const messages: { body: Message }[] = rows.map((row) => ({
    body: { kind: 'notice', id: Number(row.id) },
  }))
  for (let start = 0; start < messages.length; start += MOST_MESSAGES) {
    const batch = messages.slice(start, start + MOST_MESSAGES)
    ctx.later(() => ctx.env.EVENTS.sendBatch(batch))
  }
}
