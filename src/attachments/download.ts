import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { fault } from '../faults.ts'
import { id, text } from '../http/shapes.ts'
import { isSafeInline, parseContentType, toDownloadType } from './content-type.ts'
import { loadVisibleAttachments } from './get.ts'
import { isCodeHostLink, isLinkType } from './link.ts'

export const downloadInput = z.object({ id: id(), content_type: text() })

/** Characters that turn the direction of writing, and with it what an extension seems to be. */
const BIDI_CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Whatever a browser makes of the bytes, they cannot run, load, frame or send anything. */
const SECURITY_POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

/**
 * The bytes of an attachment as they were sent: shown in place when their type is harmless, for saving
 * otherwise. A link attachment sends on to its code host, unless `content_type` asks for the bytes under
 * another type. One part of them is served to who asks for a range, and nothing is read for who asks for
 * the headers alone. Contract "Attachment". Faults 52, 102, 304, 601, and 32000 for an attachment that does
 * not exist.
 */
export async function downloadAttachment(
  ctx: Ctx,
  { id: wanted, content_type: asked }: z.output<typeof downloadInput>,
  { method, headers: request }: Pick<Request, 'method' | 'headers'>,
): Promise<Response> {
  const type = asked === undefined ? undefined : parseContentType(asked)
  const [row] = await loadVisibleAttachments(ctx, [wanted])
  if (row === undefined) {
    throw fault('attachmentUnknown', { id: wanted })
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
  return respondWithBytes(ctx, row, parseRange(request, row), headers)
}

type Range = { readonly offset: number; readonly length: number }
type Row = { readonly objectKey: string; readonly size: number; readonly sha256: string }

async function respondWithBytes(ctx: Ctx, row: Row, range: Range | null, headers: Headers) {
  const object = await ctx.env.FILES.get(row.objectKey, range === null ? {} : { range })
  if (object === null) {
    throw new Error('The bytes of an attachment are missing')
  }
  headers.set('content-length', String(range?.length ?? row.size))
  if (range !== null) {
    const last = range.offset + range.length - 1
    headers.set('content-range', `bytes ${range.offset}-${last}/${row.size}`)
  }
  return new Response(object.body, { status: range === null ? 200 : 206, headers })
}

/** One range inside the bytes; anything else that is asked for is answered with all of them. */
function parseRange(request: Headers, { size, sha256 }: Row): Range | null {
  const held = request.get('if-range')
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.get('range') ?? '') ?? []
  if ((from === '' && to === '') || (held !== null && held !== `"${sha256}"`)) {
    return null
  }
  const offset = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return offset <= last ? { offset, length: last - offset + 1 } : null
}

/** A file name may hold anything: quotes and what is not ASCII are escaped, the turners of writing cut out. */
function formatDisposition(contentType: string, fileName: string): string {
  const name = fileName.toWellFormed().replace(BIDI_CONTROLS, '').trim() || 'attachment'
  const plain = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_')
  const escaped = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const how = isSafeInline(contentType) ? 'inline' : 'attachment'
  return `${how}; filename="${plain}"; filename*=UTF-8''${escaped}`
}
