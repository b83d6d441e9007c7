import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { comments } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnName, limitTo, sql } from '../../platform/db/sql.ts'

const c = aliasColumns(comments, 'c')

/** The index of three characters has the comments up to this ID, and none behind it. */
export const NEWEST_INDEXED_COMMENT = sql`(SELECT coalesce(max(id), 0) FROM comments_trigram_fts_docsize)`

/** Comments and bytes of one commit, which keeps others from writing for about a tenth of a second. */
const MAX_COMMENTS = 250
const MAX_BYTES = 100_000
/** Commits of one run; the rest waits for the next one. */
const MAX_COMMITS = 50

/**
 * Adds comments to the index of three characters, in the order of their IDs. Indexing a comment takes longer
 * than writing it, so that it does not happen in the request; until then, searches read the comment itself.
 */
export async function indexComments(ctx: Ctx): Promise<void> {
  for (let count = 0; count < MAX_COMMITS && (await hasNewComments(ctx)); count += 1) {
    await commit(ctx, { indexed: indexStatement() })
  }
}

async function hasNewComments(ctx: Ctx): Promise<boolean> {
  const { newest } = await readBatch(ctx, {
    newest: selectOf(
      { isNew: sql<number>`coalesce(max(${comments.id}), 0) > ${NEWEST_INDEXED_COMMENT}` },
      sql`FROM comments`,
    ),
  })
  return newest[0]?.isNew === 1
}

/** A comment that is larger than a commit makes one of its own. */
function indexStatement() {
  return sql`INSERT INTO comments_trigram_fts (rowid, ${columnName(comments.body)})
    SELECT place, content FROM (
      SELECT place, content, sum(octet_length(content)) OVER (ORDER BY place) - octet_length(content) AS bytes_ahead
      FROM (SELECT ${c.id} AS place, ${c.body} AS content FROM comments c WHERE ${c.id} > ${NEWEST_INDEXED_COMMENT}
        ORDER BY ${c.id} ${limitTo(MAX_COMMENTS)}))
    WHERE bytes_ahead < ${MAX_BYTES}`
}
