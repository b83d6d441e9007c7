import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { updateAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import { nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changedObjects,
  limitLength,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { keywordUnknown } from './faults.ts'
import { loadKeyword } from './load.ts'
import { parseKeywordDescription, parseKeywordName } from './values.ts'

/** Renames, describes, activates or deactivates a keyword; bugs keep it. */
export const updateKeyword = operation(
  {
    method: 'PUT',
    path: '/keyword/:id_or_name',
    summary: 'Rename, describe, close or reopen a keyword',
    reference: 'keywords.md#change-a-keyword',
    input: z.object({
      id_or_name: z.string(),
      name: text(),
      description: limitLength(text()),
      is_active: boolean(),
    }),
    output: changedObjects('keywords'),
    faults: [keywordUnknown, nameTaken, valueBlank],
    requires: role('editkeywords', 'change keywords'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { keyword, sameName } = await loadKeyword(ctx, input.id_or_name, input.name)
    const { id, revision, name, description, isActive } = keyword
    const after = {
      name: input.name === undefined ? name : parseKeywordName(input.name),
      description:
        input.description === undefined ? description : parseKeywordDescription(input.description),
      is_active: input.is_active ?? isActive,
    }
    if (input.name !== undefined) {
      assertNameFree('keyword', after.name, sameName, id)
    }
    const changes = diffFields({ name, description, is_active: isActive }, after)
    await commit(ctx, {
      keyword: updateAudited(ctx, 'Keyword', [{ id, revision, changes }], {
        name: after.name,
        nameFold: fold(after.name),
        description: after.description,
        isActive: after.is_active,
      }),
    })
    return { keywords: [{ id, changes }] }
  },
)
