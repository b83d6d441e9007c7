import * as z from 'zod'
import { aliasOutput } from '../../../platform/lib/alias.ts'
import { attachmentShape } from '../../attachments/present.ts'
import { commentShape } from '../../comments/present.ts'
import { flagShape } from '../../flags/present.ts'
import { historyEntryShape } from '../../history/present.ts'
import { userDetailShape } from '../../users/people.ts'

const counts = z
  .strictObject({
    attachments: z.int(),
    cc: z.int(),
    comments: z.int(),
    keywords: z.int(),
    blocks: z.int(),
    depends_on: z.int(),
    regressed_by: z.int(),
    regressions: z.int(),
    duplicates: z.int(),
  })
  .partial()

const idList = z.array(z.int())
const texts = z.array(z.string())

const bugFields = z.object({
  id: z.int(),
  alias: aliasOutput,
  summary: z.string(),
  status: z.string(),
  resolution: z.string(),
  is_open: z.boolean(),
  is_confirmed: z.boolean(),
  type: z.string(),
  product: z.string(),
  component: z.string(),
  classification: z.string(),
  version: z.string(),
  platform: z.string(),
  op_sys: z.string(),
  priority: z.string(),
  severity: z.string(),
  target_milestone: z.string(),
  assigned_to: z.string(),
  assigned_to_detail: userDetailShape,
  creator: z.string(),
  creator_detail: userDetailShape,
  qa_contact: z.string(),
  qa_contact_detail: userDetailShape,
  triage_owner: z.string(),
  triage_owner_detail: userDetailShape,
  cc: texts,
  cc_detail: z.array(userDetailShape),
  is_cc_accessible: z.boolean(),
  is_creator_accessible: z.boolean(),
  groups: texts,
  keywords: texts,
  blocks: idList,
  depends_on: idList,
  regressed_by: idList,
  regressions: idList,
  dupe_of: z.int().nullable(),
  duplicates: idList,
  see_also: texts,
  url: z.string(),
  whiteboard: z.string(),
  deadline: z.iso.date().nullable(),
  creation_time: z.iso.datetime(),
  last_change_time: z.iso.datetime(),
  comment_count: z.int(),
  flags: z.array(flagShape),
  actual_time: z.number(),
  estimated_time: z.number(),
  remaining_time: z.number(),
  update_token: z.string(),
  description: z.string(),
  filed_via: z.string(),
  tags: texts,
  last_change_time_non_bot: z.iso.datetime(),
  counts,
  comments: z.array(commentShape),
  history: z.array(historyEntryShape),
  attachments: z.array(attachmentShape),
})

/** The Bug object. Every field may be missing, because callers select. */
export const bugShape = bugFields
  .partial()
  .catchall(z.union([z.string(), z.int(), texts, z.null()]))
  .refine(
    (bug) => Object.keys(bug).every((name) => name in bugFields.shape || name.startsWith('cf_')),
    'has a field that the reference does not know',
  )

export type BugObject = z.input<typeof bugShape>
