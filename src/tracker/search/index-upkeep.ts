import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { sql } from '../../platform/db/sql.ts'

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
/** Between two steps, so that others who wait for the database get their turn. */
const PAUSE_MS = 1
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
