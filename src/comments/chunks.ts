import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import type { BugSet } from '../access/reach.ts'
import { visibleComment } from '../access/visible.ts'

/** Comments that are read at once, and the bytes of their bodies: whichever is reached first. */
const MOST_COMMENTS = 500
const MOST_BYTES = 4_000_000

/** Characters that are gathered before they are sent. */
const PIECE = 64_000

/** The comments of some bugs, in the order of the bugs, the oldest first. */
export type CommentList = {
  readonly caller: Caller
  /** Unix seconds; only what is newer is in the list. */
  readonly newSince: number | undefined
}

/** Where a list goes on: behind a comment of one bug, and with other bugs. */
export type Rest = {
  readonly bug: BugSet
  readonly behind: { readonly createdAt: number; readonly number: number }
  readonly others: BugSet
}

/**
 * The first comments of a list, or of what is left of it: a table with their `id`, `size`, and the `bytes`
 * up to there, to be cut by `fitting`. Reads as many rows as it may answer, however long the list is.
 */
export function chunk(list: CommentList, of: BugSet | Rest): SQL {
  const inBugs = ({ condition }: BugSet) =>
    sql`comments.bug_id IN (SELECT bugs.id FROM bugs WHERE ${condition})`
  const near =
    'bug' in of
      ? sql`SELECT * FROM (${firstOf(list, sql`${inBugs(of.bug)} AND ${isBehind(of.behind)}`)})
          UNION ALL SELECT * FROM (${firstOf(list, inBugs(of.others))})
          ORDER BY bug_id, created_at, number LIMIT ${MOST_COMMENTS + 1}`
      : firstOf(list, inBugs(of))
  return sql`(SELECT id, size,
      sum(size) OVER (ORDER BY bug_id, created_at, number ROWS UNBOUNDED PRECEDING) AS bytes
    FROM (${near}))`
}

/** Whether a row of `chunk`, under that name, is among those that are read at once: the first always is. */
export function fitting(name: string): SQL {
  const part = sql.raw(name)
  return sql`${part}.bytes - ${part}.size < ${MOST_BYTES}`
}

/** Whether there may be more behind the rows of a chunk. */
export function isFull(rows: readonly { readonly bytes: number }[]): boolean {
  return rows.length > MOST_COMMENTS || (rows.at(-1)?.bytes ?? 0) >= MOST_BYTES
}

/** The moment stands alone as well, so that an index leads to it. */
function isBehind({ createdAt, number }: Rest['behind']): SQL {
  return sql`comments.created_at >= ${createdAt}
    AND (comments.created_at > ${createdAt} OR comments.number > ${number})`
}

function firstOf({ caller, newSince }: CommentList, where: SQL): SQL {
  const newer = newSince === undefined ? sql`1` : sql`comments.created_at > ${newSince}`
  return sql`SELECT comments.id AS id, comments.bug_id AS bug_id, comments.created_at AS created_at,
      comments.number AS number, octet_length(comments.body) AS size
    FROM comments WHERE ${where} AND ${visibleComment(caller)} AND ${newer}
    ORDER BY comments.bug_id, comments.created_at, comments.number LIMIT ${MOST_COMMENTS + 1}`
}

/** A comment as it is shown, and which bug it is on. */
export type Shown = { readonly bugId: number; readonly comment: object }

/**
 * The answer of Get Comments for bugs in pieces of some length, from comments in the order of the bugs.
 * Contract "Comments".
 */
export async function* writtenOut(
  bugIds: readonly number[],
  comments: AsyncIterable<Shown>,
): AsyncGenerator<string> {
  let text = '{"bugs":{'
  let place = -1
  let isFirst = true
  const goOn = () => {
    place += 1
    isFirst = true
    text += `${place === 0 ? '' : ']},'}"${bugIds[place]}":{"comments":[`
  }
  for await (const { bugId, comment } of comments) {
    while (place < bugIds.length - 1 && (place < 0 || bugIds[place] !== bugId)) {
      goOn()
    }
    text += `${isFirst ? '' : ','}${JSON.stringify(comment)}`
    isFirst = false
    if (text.length >= PIECE) {
      yield text
      text = ''
    }
  }
  while (place < bugIds.length - 1) {
    goOn()
  }
  yield `${text}${place < 0 ? '' : ']}'}},"comments":{}}`
}
