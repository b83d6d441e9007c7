import { fault, invalidParameter, parameterMissing } from '../../../platform/faults/fault.ts'
import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { Base64Decoder } from '../../../platform/lib/base64.ts'
import * as shapes from '../shapes.ts'
import { omitEmpty, readOffset, readTextLength, shortenObjects, takePage } from '../shorten.ts'
import type { Tool, ToolAnswer, ToolResult } from '../types.ts'

const { text, yesNo, whole } = shapes

const FILES = { what: 'attachments', normal: 50, most: 200 }
const FILE_TEXT_LENGTH = 20_000
/** Bytes of a file that are looked through for its text. */
const MAX_TEXT_BYTES = 3 * 256 * 1024
const MAX_IMAGE_BYTES = 1024 * 1024

const FIELDS =
  'id,bug_id,file_name,summary,content_type,size,creator,creation_time,is_patch,is_private,is_obsolete,flags'

/** People are named by their logins alone. */
const WITHOUT = 'creator_detail'

export const listAttachmentsTool: Tool = {
  name: 'list_attachments',
  title: 'List the files of a bug',
  description: 'Lists the files that are attached to one bug. get_attachment reads one of them.',
  effect: 'read',
  takes: { bug: shapes.bug, ...shapes.page(FILES) },
  required: ['bug'],
  operation: 'GET /bug/:id_or_alias/attachment',
  gives: { attachments: shapes.objects, note: shapes.note },
  toParameters: ({ bug }) => ({
    id_or_alias: String(bug),
    include_fields: FIELDS,
    exclude_fields: WITHOUT,
  }),
  toResult: ({ body, given }) => {
    const { bugs } = body as { bugs: Record<string, object[]> }
    const files = shortenObjects(Object.values(bugs).flat(), {})
    const { items, ...rest } = takePage(files, given, FILES)
    return { members: { attachments: items, ...rest } }
  },
}

export const getAttachmentTool: Tool = {
  name: 'get_attachment',
  title: 'Read an attached file',
  description:
    'Reads one attached file: texts such as logs and patches as text, pictures of up to 1 MB as pictures, of all others what they are and where to download them.',
  effect: 'read',
  takes: {
    attachment_id: whole('ID of the attachment'),
    offset: whole('Characters of its text to skip'),
    text_length: shapes.textLength(FILE_TEXT_LENGTH),
  },
  required: ['attachment_id'],
  operation: 'GET /bug/attachment/:attachment_id',
  isLong: true,
  gives: { attachment: { type: 'object' }, text: { type: 'string' }, note: shapes.note },
  toParameters: ({ attachment_id }) => ({
    attachment_id: String(attachment_id),
    include_fields: `${FIELDS},data`,
    exclude_fields: WITHOUT,
  }),
  toResult: presentFile,
}

type File = { id: number; data: string | null; size: number; content_type: string }

function presentFile({ body, given, baseUrl }: ToolAnswer): ToolResult {
  const [file] = Object.values((body as { attachments: Record<string, File> }).attachments)
  if (file === undefined) {
    throw invalidParameter('attachment_id', 'names no attachment')
  }
  const { data, ...described } = file
  const attachment = omitEmpty(described)
  const content = data === null ? null : decodeText(data)
  const download = `${baseUrl}/attachment.cgi?id=${file.id}`
  if (content !== null) {
    return { members: { attachment, ...cutText(content, given, file, download) } }
  }
  const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(file.content_type)
  return data !== null && isPicture && file.size <= MAX_IMAGE_BYTES
    ? { members: { attachment }, image: { data, mimeType: file.content_type } }
    : { members: { attachment, note: `This file is no text. Download it from ${download}.` } }
}

/** The text, cut where it is long; null for bytes that are not UTF-8. */
function decodeText(data: string): string | null {
  const decoder = new Base64Decoder(MAX_TEXT_BYTES)
  decoder.decode(data.slice(0, (MAX_TEXT_BYTES / 3) * 4))
  try {
    const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
    const content = decoder
      .blocks()
      .map((block) => utf8.decode(block, { stream: true }))
      .join('')
    return content.includes('\0') ? null : content
  } catch {
    return null
  }
}

function cutText(content: string, given: Parameters, { size }: File, download: string): Parameters {
  const offset = readOffset(given)
  const end = offset + readTextLength(given, FILE_TEXT_LENGTH)
  const part = { text: content.slice(offset, end).toWellFormed() }
  if (end < content.length) {
    return { ...part, note: `For more, call again with offset ${end}.` }
  }
  return size > MAX_TEXT_BYTES
    ? { ...part, note: `The file goes on. Download it from ${download}.` }
    : part
}

export const attachFileTool: Tool = {
  name: 'attach_file',
  title: 'Attach a file to a bug',
  description:
    'Attaches a file to one bug, from a text or from base64, and returns the ID of the attachment. People get mail.',
  effect: 'add',
  takes: {
    bug: shapes.bug,
    file_name: text('Name of the file'),
    summary: text('What the file is, in one line'),
    text: text('The content of a file that is a text'),
    data: text('The content of any other file, in base64; instead of `text`'),
    content_type: text('MIME type, such as `image/png`; `text/plain` unless given with `text`'),
    is_patch: yesNo('It is a patch'),
    is_private: yesNo('Only insiders see it'),
    comment: text('A comment that goes with it; Markdown'),
    flags: shapes.flags,
  },
  required: ['bug', 'file_name', 'summary'],
  operation: 'POST /bug/:id_or_alias/attachment',
  uploadText: 'text',
  gives: { id: { type: 'integer', description: 'ID of the attachment' } },
  toParameters: ({ bug, text: content, ...given }) => {
    if (content !== undefined && given.data !== undefined) {
      throw invalidParameter('text', 'cannot be combined with data')
    }
    if (content === undefined && given.data === undefined) {
      throw fault(parameterMissing, { field: "text' or 'data" })
    }
    // the bytes are set apart; the operation only looks whether there are any
    const asText = { data: '', content_type: given.content_type || 'text/plain' }
    return { ...given, ...(content !== undefined && asText), id_or_alias: String(bug) }
  },
  toResult: ({ body }) => ({ members: { id: (body as { ids: number[] }).ids[0] } }),
}
