import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * The words of all comments as the index of words has them, from three characters on. The index of three characters
 * finds those that contain a text, and the index of words their comments.
 */
export const commentWords = sqliteTable(
  'comment_words',
  { id: integer('id').primaryKey(), word: text('word').notNull() },
  (t) => [
    uniqueIndex('comment_words_word').on(t.word),
    index('comment_words_cut').on(t.id).where(isCutCondition(t.word)),
  ],
)

/** Whether a word may go on behind what the index of words has of it, which are 32 KB. */
export function isCutCondition(word: SQLWrapper): SQL {
  return sql`octet_length(${word}) > 32000`
}

/** Of which comments all words are known: one row, with the ID 1. */
export const commentWordRange = sqliteTable('comment_word_range', {
  id: integer('id').primaryKey(),
  /** Up to this ID, the older index of three characters of whole comments serves until their words are known too. */
  after: integer('after_comment_id').notNull(),
  /** What is behind it waits for the cron. */
  newest: integer('newest_comment_id').notNull(),
})
