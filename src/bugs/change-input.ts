import * as z from 'zod'
import { fault } from '../faults.ts'
import { clearableText, flag, names } from '../http/shapes.ts'
import { aliasText, saysSomething } from './file-input.ts'
import { internalNames } from './spellings.ts'

/** Edits of a list: what to add, what to remove, or what it is to be. Contract "Bugs", edit sets. */
function editSet() {
  return z
    .preprocess(
      (value) => (saysSomething(value) || isEmptying(value) ? value : undefined),
      z.object({ add: names(), remove: names(), set: optionalNames() }).optional(),
    )
    .meta({ type: 'object', properties: { add: {}, remove: {}, set: {} } })
}

/** Where an empty list means something, null has to mean something else: nothing given. */
function optionalNames() {
  return z.preprocess((value) => value ?? undefined, names())
}

/** A list that is set to nothing. */
function isEmptying(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'set' in value && value.set != null
}

/** The comment that comes with a change: its text, or an object that holds it under one of two names. */
const newComment = z
  .preprocess(
    (value) =>
      typeof value === 'string' || typeof value === 'number'
        ? { body: value }
        : (value ?? undefined),
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
    alias: aliasText(),
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
    ...internalNames(clearableText),
  })
  .catchall(z.unknown())

export type ChangeBugInput = z.output<typeof changeBugInput>

/** Fields of the contract whose rooms are not built: refused when they say something, never dropped. */
const LATER =
  /^(blocks|depends_on|blocked|dependson|regressed_by|regressions|groups|keywords|see_also|comment_is_private|comment_tags|component|product|deadline|estimated_time|remaining_time|work_time|dupe_of|flags|reset_assigned_to|reset_qa_contact|tags|cf_\w+)$/

/** Unknown keys are ignored on an update; known ones that cannot be served yet are fault 53. */
export function refuseUnserved(input: ChangeBugInput): void {
  for (const [key, value] of Object.entries(input)) {
    if (LATER.test(key) && (saysSomething(value) || isEmptying(value))) {
      throw fault('fieldNotChangeable', { field: key })
    }
  }
}

/** The text of the comment that comes with an update. */
export function commentText({ comment }: ChangeBugInput): string {
  return comment?.body ?? comment?.comment ?? ''
}
