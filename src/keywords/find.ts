import type { SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { keywords } from '../db/schema/fields.ts'
import type { SessionHolder } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'

/** Whether some bug has the keyword of this row, whoever may see the bug. */
const isUsed = sql`EXISTS (SELECT 1 FROM bug_keywords WHERE bug_keywords.keyword_id = keywords.id)`

/** The keywords of that name, in whatever case: none or one. */
export function keywordsNamed(name: string) {
  return db
    .select({ id: keywords.id })
    .from(keywords)
    .where(sql`keywords.name_fold = ${fold(name.trim())}`)
}

/**
 * The keyword that a path calls for, and those that have the new name already. Keywords may be called by
 * numbers: a number is an ID first, and a name when no ID fits. Fault 51 when there is none.
 */
export async function findKeyword(ctx: SessionHolder, idOrName: string, newName = '') {
  const asked = idOrName.trim()
  const id = /^\d{1,15}$/.test(asked) ? Number(asked) : 0
  const { found, sameName } = await readBatch(ctx, {
    found: readKeywords(sql`keywords.id = ${id} OR keywords.name_fold = ${fold(asked)}`, id),
    sameName: keywordsNamed(newName),
  })
  const [keyword] = found
  if (keyword === undefined) {
    throw fault('keywordUnknown', { name: idOrName })
  }
  return { keyword, sameName }
}

function readKeywords(condition: SQL, first: number) {
  return db
    .select({
      id: keywords.id,
      name: keywords.name,
      description: keywords.description,
      isActive: keywords.isActive,
      isUsed: sql<boolean>`${isUsed}`.mapWith(Boolean).as('is_used'),
      revision: keywords.revision,
    })
    .from(keywords)
    .where(condition)
    .orderBy(sql`keywords.id = ${first} DESC`)
}
