import { sql } from '../../../src/platform/db/sql.ts'
import { execute } from '../database/execute.ts'
import { insertBug } from './bugs.ts'
import { NOW } from './unique.ts'

/** A comment as its text, private when it stands in a list of its own. */
type CommentText = string | readonly [privateText: string]

/** Inserts a bug with these comments, past every rule; returns its ID. */
export async function insertDiscussion(
  summary: string,
  comments: readonly CommentText[],
): Promise<number> {
  const bug = await insertBug({ summary })
  await execute(
    ...comments.map(
      (
        comment,
        number,
      ) => sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
        VALUES (${bug.id}, ${number}, ${bug.reporter.id}, ${NOW + number},
          ${typeof comment === 'string' ? comment : comment[0]}, ${typeof comment === 'string' ? 0 : 1})`,
    ),
  )
  return bug.id
}
