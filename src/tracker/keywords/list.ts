import * as z from 'zod'
import { visibleBugCondition } from '../../platform/access/visibility.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugKeywords, bugs } from '../../platform/db/schema/bugs.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'

const keywordShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  bug_count: z.int(),
})

export const listKeywords = operation(
  {
    method: 'GET',
    path: '/keyword',
    summary: 'List keywords and how often they are used',
    reference: 'keywords.md#list-keywords',
    input: z.object(selectionInput),
    output: z.strictObject({ keywords: z.array(keywordShape.partial()) }),
    requires: anyone,
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    const selection = new Selection(input)
    const count = selection.includes('bug_count')
      ? sql<number>`(SELECT count(*) FROM bug_keywords
        JOIN bugs ON ${bugs.id} = ${bugKeywords.bugId}
        WHERE ${bugKeywords.keywordId} = ${keywords.id} AND ${visibleBugCondition(ctx.caller)})`
      : sql<number>`0`
    const { rows } = await readBatch(ctx, {
      rows: db
        .select({
          ...pick(keywords, 'id', 'name', 'description'),
          is_active: keywords.isActive,
          bug_count: count.as('bug_count'),
        })
        .from(keywords)
        .orderBy(keywords.nameFold),
    })
    return { keywords: rows.map((row) => selection.prune(row)) }
  }),
)
