import * as z from 'zod'
import { roleCheck } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { auditStatement } from '../../platform/db/audit.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../../platform/db/commit.ts'
import { bugKeywords } from '../../platform/db/schema/bug-sets.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { objectInUse } from '../../platform/faults/parameters.ts'
import { loadKeyword } from './load.ts'

export const removeKeywordInput = z.object({ id_or_name: z.string() })
export const removeKeywordOutput = z.strictObject({ success: z.literal(1) })

/** The right to `removeKeyword`: faults 410 and 304. */
export const assertMayRemoveKeyword = roleCheck('editkeywords', 'remove keywords')

/**
 * DELETE /keyword/{id_or_name}: removes a keyword that no bug has. Faults 410, 304 without the right to edit
 * keywords, 51 for one that does not exist, 32000 for one in use.
 * Reference: keywords.md, "Remove a keyword".
 */
export async function removeKeyword(ctx: Ctx, input: z.output<typeof removeKeywordInput>) {
  const caller = assertMayRemoveKeyword(ctx)
  return retryOnConflict(ctx, async (ctx) => {
    const { keyword } = await loadKeyword(ctx, input.id_or_name)
    const { id, name, revision } = keyword
    if (keyword.isUsed) {
      throw fault(objectInUse, { kind: 'keyword', name, by: 'bugs have it' })
    }
    await commit(ctx, {
      keyword: [
        sql`DELETE FROM keywords WHERE ${keywords.id} = ${id} AND ${keywords.revision} = ${revision}
        AND NOT EXISTS (SELECT 1 FROM bug_keywords WHERE ${bugKeywords.keywordId} = ${id})`,
        abortUnlessChanged(),
      ],
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Keyword',
        objectId: id,
        action: 'remove',
        changes: { name: { removed: name, added: '' } },
      }),
    })
    return { success: 1 as const }
  })
}
