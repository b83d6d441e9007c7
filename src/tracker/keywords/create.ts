import * as z from 'zod'
import { auditStatement } from '../../platform/db/audit.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { keywords } from '../../platform/db/schema/fields.ts'
import { db, newestId } from '../../platform/db/sql.ts'
import { fault, nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { boolean, limitLength, requiredText } from '../../platform/http/operations/shapes.ts'
import { diffFromNothing } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { selectKeywordsByName } from './load.ts'
import { parseKeywordDescription, parseKeywordName } from './values.ts'

export const createKeyword = operation(
  {
    method: 'POST',
    path: '/keyword',
    summary: 'Create a keyword',
    reference: 'keywords.md#create-a-keyword',
    input: z.object({
      name: requiredText(),
      description: limitLength(requiredText()),
      is_active: boolean(),
    }),
    output: z.strictObject({ id: z.int() }),
    faults: [nameTaken, valueBlank],
    requires: role('editkeywords', 'create keywords'),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const { caller } = ctx
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
  },
)
