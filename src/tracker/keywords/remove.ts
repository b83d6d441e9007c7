import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { removeAudited } from '../../platform/db/write-audited.ts'
import { fault, objectInUse } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { keywordUnknown } from './faults.ts'
import { isUsedCondition, loadKeyword } from './load.ts'

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
    const { keyword } = await loadKeyword(ctx, input.id_or_name)
    const { name } = keyword
    if (keyword.isUsed) {
      throw fault(objectInUse, { kind: 'keyword', name, by: 'bugs have it' })
    }
    await commit(ctx, {
      keyword: removeAudited(ctx, 'Keyword', keyword, { name }, isUsedCondition),
    })
    return { success: 1 as const }
  },
)
