import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import { nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { boolean, limitLength, requiredText } from '../../platform/http/operations/shapes.ts'
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
    const name = parseKeywordName(input.name)
    const description = parseKeywordDescription(input.description)
    const isActive = input.is_active ?? true
    const { sameName } = await readBatch(ctx, { sameName: selectKeywordsByName(name) })
    assertNameFree('keyword', name, sameName)
    const id = await createAudited(ctx, 'Keyword', {
      row: { name, nameFold: fold(name), description, isActive },
      shown: { name, description, is_active: isActive },
    })
    return { id }
  },
)
