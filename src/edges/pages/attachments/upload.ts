import { createAttachments } from '../../../tracker/attachments/create.ts'
import { askOnce, type PageRequest } from '../page.ts'

type Sent = {
  readonly file: File
  readonly summary: string
  readonly more?: Readonly<Record<string, unknown>>
}

/** The file of a form; null where none was chosen. */
export function readFile({ form }: Pick<PageRequest, 'form'>): File | null {
  const file = form.get('file')
  return file instanceof File && file.name !== '' ? file : null
}

/** Attaches a file, once; without words of its own it is called by its name. */
export async function attachFile(
  request: PageRequest,
  bug: number | string,
  { file, summary, more = {} }: Sent,
) {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const upload = { size: bytes.length, blocks: bytes.length === 0 ? [] : [bytes] }
  const parameters = {
    id_or_alias: String(bug),
    // the bytes come beside it
    data: '',
    file_name: file.name,
    summary: summary.trim() === '' ? file.name : summary,
    content_type: file.type === '' ? 'application/octet-stream' : file.type,
    ...more,
  }
  return askOnce(request, createAttachments, parameters, upload)
}
