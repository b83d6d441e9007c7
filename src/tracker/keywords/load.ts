import {
  idOrNameCondition,
  idOrNameOrder,
  type NamedObjects,
} from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugKeywords } from '../../platform/db/schema/bugs.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { keywordUnknown } from './faults.ts'

/** Digits are an ID, or else a name, because a keyword may be named by digits. */
const KEYWORDS: NamedObjects = {
  id: keywords.id,
  name: keywords.nameFold,
  digits: 'id-else-name',
}

/** Whether any bug has the keyword, even one that the caller does not see. */
export const isUsedCondition = sql`EXISTS (SELECT 1 FROM bug_keywords WHERE ${bugKeywords.keywordId} = ${keywords.id})`

/** Selects the one keyword of that name, if any, in either case. */
export function selectKeywordsByName(name: string) {
  return db
    .select({ id: keywords.id })
    .from(keywords)
    .where(sql`${keywords.nameFold} = ${fold(name.trim())}`)
}

/** Loads the keyword of a path and the one that has the new name, if any. */
export async function loadKeyword(ctx: SessionHolder, idOrName: string, newName = '') {
  const { matches, sameName } = await readBatch(ctx, {
    matches: selectKeywords(idOrName),
    sameName: selectKeywordsByName(newName),
  })
  const [keyword] = matches
  if (keyword === undefined) {
    throw fault(keywordUnknown, { name: idOrName })
  }
  return { keyword, sameName }
}

function selectKeywords(idOrName: string) {
  return db
    .select({
      ...pick(keywords, 'id', 'name', 'description', 'isActive'),
      isUsed: sql<boolean>`${isUsedCondition}`.mapWith(Boolean).as('is_used'),
      revision: keywords.revision,
    })
    .from(keywords)
    .where(idOrNameCondition(KEYWORDS, idOrName))
    .orderBy(idOrNameOrder(KEYWORDS, idOrName))
}
