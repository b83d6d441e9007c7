import { db } from '../db/client.ts'
import { idOrNameCondition, idOrNameOrder, type NamedObjects } from '../db/id-or-name.ts'
import { readBatch } from '../db/read-batch.ts'
import { keywords } from '../db/schema/fields.ts'
import type { SessionHolder } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'

/** Keywords may be called by numbers. */
const KEYWORDS: NamedObjects = {
  id: keywords.id,
  name: keywords.nameFold,
  digits: 'id-else-name',
}

/** Whether some bug has the keyword of this row, whoever may see the bug. */
const isUsedCondition = sql`EXISTS (SELECT 1 FROM bug_keywords WHERE bug_keywords.keyword_id = keywords.id)`

/** The keywords of that name, in whatever case: none or one. */
export function selectKeywordsByName(name: string) {
  return db
    .select({ id: keywords.id })
    .from(keywords)
    .where(sql`keywords.name_fold = ${fold(name.trim())}`)
}

/**
 * The keyword that a path calls for, and those that have the new name already. Fault 51 when there is none.
 */
export async function loadKeyword(ctx: SessionHolder, idOrName: string, newName = '') {
  const { found, sameName } = await readBatch(ctx, {
    found: selectKeywords(idOrName),
    sameName: selectKeywordsByName(newName),
  })
  const [keyword] = found
  if (keyword === undefined) {
    throw fault('keywordUnknown', { name: idOrName })
  }
  return { keyword, sameName }
}

function selectKeywords(idOrName: string) {
  return db
    .select({
      id: keywords.id,
      name: keywords.name,
      description: keywords.description,
      isActive: keywords.isActive,
      isUsed: sql<boolean>`${isUsedCondition}`.mapWith(Boolean).as('is_used'),
      revision: keywords.revision,
    })
    .from(keywords)
    .where(idOrNameCondition(KEYWORDS, idOrName))
    .orderBy(idOrNameOrder(KEYWORDS, idOrName))
}
