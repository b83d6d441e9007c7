import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { keywords } from '../db/schema/fields.ts'
import { newestId } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, prose, requiredText } from '../http/shapes.ts'
import { diffFromNothing } from '../lib/differences.ts'
import { fold } from '../lib/text.ts'
import { keywordDescription, keywordName } from './decide.ts'
import { keywordsNamed } from './find.ts'

export const createKeywordInput = z.object({
  name: requiredText(),
  description: prose(requiredText()),
  is_active: flag(),
})
export const createKeywordOutput = z.strictObject({ id: z.int() })

/**
 * POST /keyword: a new keyword. Administration API "Keywords". Faults 410, 304 without the right to edit
 * keywords, 50 without name or description, 53 for a name that cannot be one, 32000 for one that is taken.
 */
export async function createKeyword(ctx: Ctx, input: z.output<typeof createKeywordInput>) {
  const caller = assertRole(ctx.caller, 'editkeywords', 'create keywords')
  const name = keywordName(input.name)
  const description = keywordDescription(input.description)
  const isActive = input.is_active ?? true
  return retryOnConflict(ctx, async (ctx) => {
    const { sameName } = await readBatch(ctx, { sameName: keywordsNamed(name) })
    if (sameName.length > 0) {
      throw fault('nameTaken', { kind: 'keyword', name })
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
