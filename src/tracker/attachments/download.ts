import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { fault } from '../../platform/faults/fault.ts'
import { id, text } from '../../platform/http/operations/shapes.ts'
import { log } from '../../platform/lib/log.ts'
import { isSafeInline, parseContentType, toDownloadType } from './content-type.ts'
import { attachmentLost, attachmentUnknown } from './faults.ts'
import { loadVisibleAttachments } from './get.ts'
import { isCodeHostLink, isLinkType } from './link.ts'

export const downloadInput = z.object({ id: id(), content_type: text() })

/** Characters that change the direction of text, and so can disguise the extension of a file name. */
const BIDI_CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Bytes cannot run scripts, load, embed or send anything, even where a browser guesses their type. */
const SECURITY_POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

/**
 * Serves the bytes of an attachment: inline when their type is safe, otherwise as a download. A link
 * attachment redirects to its code host unless `content_type` is given. Answers range requests, with 416
 * for a range beyond the end, and HEAD without reading the bytes.
 */
export async function downloadAttachment(
  ctx: Ctx,
  { id: attachmentId, content_type: requestedType }: z.output<typeof downloadInput>,
  { method, headers: request }: Pick<Request, 'method' | 'headers'>,
): Promise<Response> {
  const type = requestedType === undefined ? undefined : parseContentType(requestedType)
  const [row] = await loadVisibleAttachments(ctx, [attachmentId])
  if (row === undefined) {
    throw fault(attachmentUnknown, { id: attachmentId })
  }
  const isLink = type === undefined && isLinkType(row.contentType, ctx.settings)
  if (isLink && row.linkUrl !== null && isCodeHostLink(row.linkUrl, ctx.settings)) {
    return new Response(null, { status: 302, headers: { location: row.linkUrl } })
  }
  const headers = new Headers({
    'content-type': toDownloadType(type ?? row.contentType),
    'content-disposition': formatDisposition(type ?? row.contentType, row.fileName),
    'content-security-policy': SECURITY_POLICY,
    'accept-ranges': 'bytes',
    etag: `"${row.sha256}"`,
  })
  if (request.get('if-none-match')?.includes(row.sha256)) {
    return new Response(null, { status: 304, headers })
  }
  if (method === 'HEAD') {
    headers.set('content-length', String(row.size))
    return new Response(null, { headers })
  }
  const range = parseRange(request, row)
  if (range === 'beyond the end') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${row.size}` } })
  }
  return respondWithBytes(ctx, row, range, headers)
}

type Range = { readonly offset: number; readonly length: number }
type Row = {
  readonly id: number
  readonly objectKey: string
  readonly size: number
  readonly sha256: string
}

async function respondWithBytes(ctx: Ctx, row: Row, range: Range | null, headers: Headers) {
  const object = await ctx.env.FILES.get(row.objectKey, range === null ? {} : { range })
  if (object === null) {
    log('error', 'the bytes of an attachment are lost', { attachmentId: row.id })
    throw fault(attachmentLost, { id: row.id })
  }
  headers.set('content-length', String(range?.length ?? row.size))
  if (range !== null) {
    const last = range.offset + range.length - 1
    headers.set('content-range', `bytes ${range.offset}-${last}/${row.size}`)
  }
  return new Response(object.body, { status: range === null ? 200 : 206, headers })
}

/** The single range of a request; null for anything else in `range`, which is answered in full. */
function parseRange(request: Headers, { size, sha256 }: Row): Range | 'beyond the end' | null {
  const ifRange = request.get('if-range')
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.get('range') ?? '') ?? []
  if ((from === '' && to === '') || (ifRange !== null && ifRange !== `"${sha256}"`)) {
    return null
  }
  const offset = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  if (from !== '' && to !== '' && Number(to) < offset) {
    return null
  }
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return offset <= last ? { offset, length: last - offset + 1 } : 'beyond the end'
}

/** The content-disposition header. Quotes and non-ASCII characters of the file name are escaped. */
function formatDisposition(contentType: string, fileName: string): string {
  const name = fileName.toWellFormed().replace(BIDI_CONTROLS, '').trim() || 'attachment'
  const plain = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_')
  const escaped = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const kind = isSafeInline(contentType) ? 'inline' : 'attachment'
  return `${kind}; filename="${plain}"; filename*=UTF-8''${escaped}`
}
