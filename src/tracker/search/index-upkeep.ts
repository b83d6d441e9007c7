import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { comments } from '../../platform/db/schema/bugs.ts'
import { commentWordRange, commentWords } from '../../platform/db/schema/comment-words.ts'
import { aliasColumns, columnName, limitTo, sql } from '../../platform/db/sql.ts'

const c = aliasColumns(comments, 'c')
const { after, newest } = commentWordRange

/** An index has the words of the comments up to this ID, and of none behind it. */
export const NEWEST_INDEXED_COMMENT = sql`(SELECT coalesce(max(${newest}), 0) FROM comment_word_range)`

/** Comments and bytes of one commit, which keeps others from writing for about a tenth of a second. */
const MAX_COMMENTS = 250
const MAX_BYTES = 100_000
/** Commits of one run; the rest waits for the next one. */
const MAX_COMMITS = 50
/** Between two commits, so that others who wait for the database get their turn. */
const PAUSE_MS = 1

/**
 * Adds the words of comments to those in which searches look for parts of words: those of new comments first, then from
 * the newest to the oldest those for which the older index of three characters serves, which is emptied in the
 * end. Until then, searches read new comments themselves.
 */
export async function indexComments(ctx: Ctx): Promise<void> {
  for (let count = 0; count < MAX_COMMITS; count += 1) {
    const next = await loadNextStep(ctx)
    if (next === null) {
      return
    }
    await commit(ctx, next)
    await scheduler.wait(PAUSE_MS)
  }
}

async function loadNextStep(ctx: Ctx): Promise<Record<string, Statement> | null> {
  const { states } = await readBatch(ctx, {
    states: selectOf(
      {
        isNew: sql<number>`(SELECT coalesce(max(${c.id}), 0) FROM comments c) > ${newest}`,
        isOlder: sql<number>`${after} > 0`,
        isRest: sql<number>`EXISTS (SELECT 1 FROM comments_trigram_fts_docsize)`,
      },
      sql`FROM comment_word_range`,
    ),
  })
  const [state] = states
  if (state?.isNew === 1) {
    const behind = sql`${c.id} > ${NEWEST_INDEXED_COMMENT}`
    const end = sql`max(${newest}, coalesce((SELECT max(id) FROM comment_words_batch_fts_docsize), 0))`
    return indexStatements(behind, sql``, sql`${columnName(newest)} = ${end}`)
  }
  if (state?.isOlder === 1) {
    const older = sql`${c.id} <= (SELECT ${after} FROM comment_word_range)`
    const end = sql`coalesce((SELECT min(id) FROM comment_words_batch_fts_docsize) - 1, 0)`
    return indexStatements(older, sql`DESC`, sql`${columnName(after)} = ${end}`)
  }
  return state?.isRest === 1 ? { emptied: emptyStatement('comments_trigram_fts') } : null
}

/** SQLite itself takes the words from a small index of the batch, so that they are those of the index of words. */
function indexStatements(which: SQL, direction: SQL, moved: SQL): Record<string, Statement> {
  return {
    // a comment that is larger than a commit makes one of its own
    batch: sql`INSERT INTO comment_words_batch_fts (rowid, ${columnName(comments.body)})
      SELECT place, content FROM (
        SELECT place, content,
          sum(octet_length(content)) OVER (ORDER BY place ${direction}) - octet_length(content) AS bytes_ahead
        FROM (SELECT ${c.id} AS place, ${c.body} AS content FROM comments c WHERE ${which}
          ORDER BY ${c.id} ${direction} ${limitTo(MAX_COMMENTS)}))
      WHERE bytes_ahead < ${MAX_BYTES}`,
    words: sql`INSERT OR IGNORE INTO comment_words (${columnName(commentWords.word)})
      SELECT term FROM comment_words_batch_terms_fts WHERE length(term) >= 3`,
    range: sql`UPDATE comment_word_range SET ${moved}`,
    emptied: emptyStatement('comment_words_batch_fts'),
  }
}

function emptyStatement(index: 'comment_words_batch_fts' | 'comments_trigram_fts'): SQL {
  const name = sql.raw(index)
  return sql`INSERT INTO ${name} (${name}) VALUES ('delete-all')`
}

/** The full-text indexes that grow with the tracker. Their `automerge` is 0, so that no write merges for them. */
export const MERGED_INDEXES = [
  'bugs_summary_fts',
  'bugs_texts_fts',
  'comments_body_fts',
  'comment_words_fts',
  'see_also_fts',
] as const

/** Pages that one commit writes, which keeps others from writing for a few milliseconds. */
const PAGES_OF_STEP = 64
/** Of all indexes in one run; the rest waits for the next one. */
const MAX_STEPS = 100
/** What SQLite counts for the command itself; a merge changes pages besides. */
const CHANGES_OF_COMMAND = 1

/**
 * Merges the pieces that writes leave behind in full-text indexes, a few pages of each index at a time. Where it has not
 * run, SQLite merges sixteen pieces of one size as soon as they exist, so a search has a bounded number to look into.
 */
export async function mergeIndexes(ctx: Ctx): Promise<void> {
  let waiting: readonly string[] = MERGED_INDEXES
  for (let steps = 0; waiting.length > 0; ) {
    const unfinished: string[] = []
    for (const index of waiting.slice(0, MAX_STEPS - steps)) {
      if (await mergePages(ctx, index)) {
        unfinished.push(index)
      }
      await scheduler.wait(PAUSE_MS)
      steps += 1
    }
    waiting = unfinished
    if (steps >= MAX_STEPS) {
      return
    }
  }
}

/** Returns whether there was something to merge. */
async function mergePages(ctx: Ctx, index: string): Promise<boolean> {
  const name = sql.raw(index)
  const count = sql`SELECT total_changes() AS changes`
  const { before, after } = await commit(ctx, {
    before: count,
    merged: sql`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ${sql.raw(String(PAGES_OF_STEP))})`,
    after: count,
  })
  return Number(after[0]?.changes) - Number(before[0]?.changes) > CHANGES_OF_COMMAND
}
