import * as z from 'zod'
import { fault } from '../faults.ts'
import { clearableText, flag, names } from '../http/shapes.ts'
import { saysSomething } from './file-input.ts'

/** Edits of a list: what to add, what to remove, or what it is to be. Contract "Bugs", edit sets. */
function editSet() {
  return z
    .object({ add: names(), remove: names(), set: names() })
    .nullable()
    .optional()
    .transform((value) => value ?? undefined)
}

const newComment = z
  .preprocess(
    (value) => (typeof value === 'string' ? { body: value } : (value ?? undefined)),
    z
      .object({
        body: clearableText(),
        comment: clearableText(),
        is_private: flag(),
        is_markdown: flag(),
      })
      .optional(),
  )
  .meta({
    type: 'object',
    properties: { body: { type: 'string' }, is_private: { type: 'boolean' } },
  })

export const changeBugInput = z
  .object({
    id_or_alias: z.string(),
    ids: names(),
    alias: clearableText(),
    summary: clearableText(),
    status: clearableText(),
    resolution: clearableText(),
    assigned_to: clearableText(),
    qa_contact: clearableText(),
    priority: clearableText(),
    severity: clearableText(),
    type: clearableText(),
    platform: clearableText(),
    op_sys: clearableText(),
    version: clearableText(),
    target_milestone: clearableText(),
    url: clearableText(),
    whiteboard: clearableText(),
    is_cc_accessible: flag(),
    is_creator_accessible: flag(),
    cc: editSet(),
    comment: newComment,
    minor_update: flag(),
  })
  .catchall(z.unknown())

export type ChangeBugInput = z.output<typeof changeBugInput>

/** Fields of the contract whose rooms are not built: refused when they say something, never dropped. */
const LATER =
  /^(blocks|depends_on|blocked|dependson|regressed_by|regressions|groups|keywords|see_also|comment_is_private|comment_tags|component|product|deadline|estimated_time|remaining_time|work_time|dupe_of|flags|reset_assigned_to|reset_qa_contact|tags|cf_\w+)$/

/** Unknown keys are ignored on an update; known ones that cannot be served yet are fault 53. */
export function refuseUnserved(input: ChangeBugInput): void {
  for (const [key, value] of Object.entries(input)) {
    if (
      LATER.test(key) &&
      !(key in changeBugInput.shape) &&
      saysSomething(value) &&
      value !== false
    ) {
      throw fault('fieldNotChangeable', { field: key })
    }
  }
}
