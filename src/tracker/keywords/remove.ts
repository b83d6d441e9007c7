import * as z from 'zod'
import { auditStatement } from '../../platform/db/audit.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../../platform/db/commit.ts'
import { bugKeywords } from '../../platform/db/schema/bugs.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault, objectInUse } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { keywordUnknown } from './faults.ts'
import { loadKeyword } from './load.ts'

export const removeKeyword = operation(
  {
    method: 'DELETE',
    path: '/keyword/:id_or_name',
    summary: 'Remove a keyword that no bug has',
    reference: 'keywords.md#remove-a-keyword',
    input: z.object({ id_or_name: z.string() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [keywordUnknown, objectInUse],
    requires: role('editkeywords', 'remove keywords'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
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
  },
)
