import * as z from 'zod'
import { flagInputs } from '../../flags/input.ts'
import { clearableText, flag, names } from '../../http/shapes.ts'

import { editSet } from '../edits/edit-set.ts'
import { listEdits } from '../edits/input.ts'
import { aliasText, hours } from '../file/input.ts'
import { hasContent } from '../model/content.ts'
import { internalNames } from '../model/legacy-names.ts'

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/** Comments by their IDs, and whether each is to be private. */
const privacyOfComments = z
  .preprocess(
    (value) => (hasContent(value) || isMap(value) ? value : undefined),
    z.record(z.string(), flag()).optional(),
  )
  .meta({ type: 'object', additionalProperties: { type: 'boolean' } })

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
    product: clearableText(),
    component: clearableText(),
    version: clearableText(),
    target_milestone: clearableText(),
    url: clearableText(),
    whiteboard: clearableText(),
    is_cc_accessible: flag(),
    is_creator_accessible: flag(),
    reset_assigned_to: flag(),
    reset_qa_contact: flag(),
    deadline: clearableText(),
    estimated_time: hours(),
    remaining_time: hours(),
    work_time: hours(),
    dupe_of: clearableText(),
    cc: editSet(),
    ...listEdits,
    groups: editSet(),
    comment_is_private: privacyOfComments,
    comment: newComment,
    comment_tags: names(),
    flags: flagInputs(),
    minor_update: flag(),
    ...internalNames(clearableText),
  })
  .catchall(z.unknown())

export type ChangeBugInput = z.output<typeof changeBugInput>

/** The text of the comment that comes with an update. */
export function commentText({ comment }: ChangeBugInput): string {
  return comment?.body ?? comment?.comment ?? ''
}
