import { fault } from '../../platform/faults/fault.ts'
import { cleanLine } from '../../platform/lib/text.ts'
import { mimeTypeInvalid } from './faults.ts'

/** The content type of every patch. */
export const PATCH_TYPE = 'text/plain'

const MIME_PATTERN =
  /^(application|audio|font|image|message|model|multipart|text|video)\/[\w+.-]+(; *charset=[\w+-]+)?$/i
const MAX_TYPE_LENGTH = 255

/** Types without active content that browsers show in a sandboxed page, which they do not for PDF. */
const INLINE_TYPES =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon)|text\/(plain|csv)|(audio|video)\/[\w+.-]+)$/

/** All types that browsers accept for the source of a script element. */
const SCRIPT_TYPES =
  /^(application\/(x-)?(java|ecma)script|text\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/
const UNKNOWN_TYPE = 'application/octet-stream'

export function parseContentType(input: string | undefined): string {
  const type = cleanLine(input ?? '')
  if (type.length > MAX_TYPE_LENGTH || !MIME_PATTERN.test(type)) {
    throw fault(mimeTypeInvalid, { type: type.slice(0, MAX_TYPE_LENGTH) })
  }
  return type
}

/** Whether browsers may show bytes of this type; other types are downloaded. */
export function isSafeInline(contentType: string): boolean {
  return INLINE_TYPES.test(parseEssence(contentType))
}

/**
 * The content type of a download. Scripts get another type, so that no page can run them from this origin.
 */
export function toDownloadType(contentType: string): string {
  return SCRIPT_TYPES.test(parseEssence(contentType)) ? UNKNOWN_TYPE : contentType
}

function parseEssence(contentType: string): string {
  const [type = ''] = contentType.split(';')
  return type.trim().toLowerCase()
}
