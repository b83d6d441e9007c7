import * as z from 'zod'
import type { Selection } from '../../platform/lib/selection.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { type FlagTuple, flagShape, presentFlag } from '../flags/present.ts'
import { type PeoplePresenter, userDetailShape } from '../users/people.ts'

/** The attachment object; callers select fields. */
export const attachmentShape = z
  .strictObject({
    id: z.int(),
    bug_id: z.int(),
    /** Null when the bucket has lost the bytes. */
    data: z.string().nullable(),
    size: z.int(),
    creation_time: z.iso.datetime(),
    last_change_time: z.iso.datetime(),
    file_name: z.string(),
    summary: z.string(),
    /** An older name of `summary`, which clients still read. */
    description: z.string(),
    content_type: z.string(),
    is_private: z.boolean(),
    is_obsolete: z.boolean(),
    is_patch: z.boolean(),
    creator: z.string(),
    /** An older name of `creator`. */
    attacher: z.string(),
    creator_detail: userDetailShape,
    flags: z.array(flagShape),
  })
  .partial()
  .meta({ title: 'Attachment' })

/** A person in a JSON column: ID, login, real name, nick. */
type PersonTuple = [number, string, string, string | null]

type AttachmentRow = {
  id: number
  bugId: number
  size: number
  createdAt: number
  changedAt: number
  fileName: string
  summary: string
  contentType: string
  isPrivate: boolean
  isObsolete: boolean
  isPatch: boolean
  /** JSON */
  submitter: string
  /** JSON */
  flags: string
}

type AttachmentObject = z.input<typeof attachmentShape>

export function presentAttachment(
  row: AttachmentRow,
  selection: Selection,
  people: PeoplePresenter,
  data?: string,
): AttachmentObject {
  const [id, login, realName, nick]: PersonTuple = JSON.parse(row.submitter)
  const creator = people.presentLogin(login)
  return selection.prune({
    id: row.id,
    bug_id: row.bugId,
    ...(data === undefined ? {} : { data }),
    size: row.size,
    creation_time: toDatetime(row.createdAt),
    last_change_time: toDatetime(row.changedAt),
    file_name: row.fileName,
    summary: row.summary,
    description: row.summary,
    content_type: row.contentType,
    is_private: row.isPrivate,
    is_obsolete: row.isObsolete,
    is_patch: row.isPatch,
    creator,
    attacher: creator,
    creator_detail: people.presentDetail({ id, login, realName, nick }),
    flags: (JSON.parse(row.flags) as FlagTuple[]).map((flag) => presentFlag(flag, people)),
  }) as AttachmentObject
}
