import * as z from 'zod'
import type { Selection } from '../lib/selection.ts'
import { toDatetime } from '../lib/time.ts'
import type { People } from '../users/people.ts'

const person = z
  .strictObject({
    id: z.int(),
    real_name: z.string(),
    nick: z.string(),
    name: z.string(),
    email: z.string(),
  })
  .partial()

const flagShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    type_id: z.int(),
    creation_date: z.iso.datetime(),
    modification_date: z.iso.datetime(),
    status: z.enum(['?', '+', '-']),
    setter: z.string(),
    requestee: z.string(),
  })
  .partial()

/** The Attachment object of the contract ("Attachment"); any field may be missing, because callers select. */
export const attachmentShape = z
  .strictObject({
    id: z.int(),
    bug_id: z.int(),
    data: z.string(),
    size: z.int(),
    creation_time: z.iso.datetime(),
    last_change_time: z.iso.datetime(),
    file_name: z.string(),
    summary: z.string(),
    /** The older name of `summary`, which clients still read. */
    description: z.string(),
    content_type: z.string(),
    is_private: z.boolean(),
    is_obsolete: z.boolean(),
    is_patch: z.boolean(),
    creator: z.string(),
    /** The older name of `creator`. */
    attacher: z.string(),
    creator_detail: person,
    flags: z.array(flagShape),
  })
  .partial()

/** A person as a column holds one: ID, login, real name, nick. */
type PersonTuple = [number, string, string, string | null]

/** A flag as a column holds one. */
type FlagTuple = [
  id: number,
  name: string,
  typeId: number,
  createdAt: number,
  modifiedAt: number,
  status: string,
  setter: string,
  requestee: string | null,
]

export type AttachmentRow = {
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

export type AttachmentObject = z.input<typeof attachmentShape>

/** An attachment as one caller gets it, with `data` when that is given. Contract "Attachment". */
export function presentAttachment(
  row: AttachmentRow,
  selection: Selection,
  people: People,
  data?: string,
): AttachmentObject {
  const [id, login, realName, nick]: PersonTuple = JSON.parse(row.submitter)
  const creator = people.login(login)
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
    creator_detail: people.detail({ id, login, realName, nick }),
    flags: (JSON.parse(row.flags) as FlagTuple[]).map((flag) => presentFlag(flag, people)),
  }) as AttachmentObject
}

function presentFlag(flag: FlagTuple, people: People) {
  const [id, name, typeId, createdAt, modifiedAt, status, setter, requestee] = flag
  return {
    id,
    name,
    type_id: typeId,
    creation_date: toDatetime(createdAt),
    modification_date: toDatetime(modifiedAt),
    status,
    setter: people.login(setter),
    ...(requestee === null ? {} : { requestee: people.login(requestee) }),
  }
}
