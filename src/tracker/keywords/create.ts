import * as z from 'zod'
import { roleCheck } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { auditStatement } from '../../platform/db/audit.ts'
import { db } from '../../platform/db/client.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import { newestId } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { nameTaken } from '../../platform/faults/parameters.ts'
import { boolean, limitLength, requiredText } from '../../platform/http/operations/shapes.ts'
import { diffFromNothing } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { selectKeywordsByName } from './load.ts'
import { parseKeywordDescription, parseKeywordName } from './values.ts'

export const createKeywordInput = z.object({
  name: requiredText(),
  description: limitLength(requiredText()),
  is_active: boolean(),
})
export const createKeywordOutput = z.strictObject({ id: z.int() })

/** The right to `createKeyword`: faults 410 and 304. */
export const assertMayCreateKeyword = roleCheck('editkeywords', 'create keywords')

/**
 * POST /keyword: creates a keyword. Faults 410, 304 without the right to edit keywords, 50 without name or
 * description, 53 for an invalid name, 32000 for one that is taken.
 * Reference: keywords.md, "Create a keyword".
 */
export async function createKeyword(ctx: Ctx, input: z.output<typeof createKeywordInput>) {
  const caller = assertMayCreateKeyword(ctx)
  const name = parseKeywordName(input.name)
  const description = parseKeywordDescription(input.description)
  const isActive = input.is_active ?? true
  return retryOnConflict(ctx, async (ctx) => {
    const { sameName } = await readBatch(ctx, { sameName: selectKeywordsByName(name) })
    if (sameName.length > 0) {
      throw fault(nameTaken, { kind: 'keyword', name })
    }
    const { keyword } = await commit(ctx, {
      keyword: db
        .insert(keywords)
        .values({ name, nameFold: fold(name), description, isActive })
        .returning({ id: keywords.id }),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Keyword',
        objectId: newestId(keywords),
        action: 'create',
        changes: diffFromNothing({ name, description, is_active: isActive }),
      }),
    })
    return { id: Number(keyword[0]?.id) }
  })
}
