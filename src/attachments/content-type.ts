import { fault } from '../faults.ts'
import { cleanLine } from '../lib/text.ts'

/** The type of every patch. */
export const PATCH_TYPE = 'text/plain'

const MIME_PATTERN =
  /^(application|audio|font|image|message|model|multipart|text|video)\/[\w+.-]+(; *charset=[\w+-]+)?$/i
const MAX_TYPE_LENGTH = 255

/** What a browser shows although the page is sandboxed; PDF it does not. Nothing in these can act. */
const INLINE_TYPES =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon)|text\/(plain|csv)|(audio|video)\/[\w+.-]+)$/

/** What a page may run that names the address as its script; every spelling that browsers know. */
const SCRIPT_TYPES =
  /^(application\/(x-)?(java|ecma)script|text\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * A content type as it is stored. Fault 601 for what is no MIME type: a known main type, a subtype, and
 * nothing behind them but a charset.
 */
export function parseContentType(given: string | undefined): string {
  const type = cleanLine(given ?? '')
  if (type.length > MAX_TYPE_LENGTH || !MIME_PATTERN.test(type)) {
    throw fault('mimeTypeInvalid', { type: type.slice(0, MAX_TYPE_LENGTH) })
  }
  return type
}

/** Whether bytes of this type may be shown in the browser; everything else is for saving. */
export function isSafeInline(contentType: string): boolean {
  return INLINE_TYPES.test(parseEssence(contentType))
}

/** The type that bytes are served under: no page can make a script of the service's own origin of them. */
export function toDownloadType(contentType: string): string {
  return SCRIPT_TYPES.test(parseEssence(contentType)) ? UNKNOWN_TYPE : contentType
}

function parseEssence(contentType: string): string {
  const [type = ''] = contentType.split(';')
  return type.trim().toLowerCase()
}
