import { Buffer } from 'node:buffer'
import type { Context } from 'hono'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { networkOfClient } from '../../platform/http/request/client-address.ts'
import { readPieces } from '../../platform/http/request/counted-body.ts'
import { parseInTurn } from '../../platform/http/request/parse-turns.ts'
import { holdUpload } from '../../platform/http/request/upload-memory.ts'

/** Fields of a form: no page has nearly as many, and each takes a hundred times the memory of its bytes. */
export const MAX_FIELDS = 5000
/** What browsers send, so that the runtime takes no other boundary than the one that is counted. */
const MULTIPART = /^multipart\/form-data; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i
const URL_ENCODED = /^application\/x-www-form-urlencoded *(?:;|$)/i

/**
 * The fields of the form that was sent, none where the body is no form or has too many; the same for whoever asks
 * again. A long form takes part in the memory of uploads, in a pool of its own where the sender is identified.
 */
export function readForm(
  c: Context<AppEnv>,
  limitKb: number,
  isIdentified: boolean,
): Promise<FormData> {
  const known = c.get('form')
  if (known !== undefined) {
    return known
  }
  const form = readOnce(c, limitKb, isIdentified)
  c.set('form', form)
  return form
}

async function readOnce(
  c: Context<AppEnv>,
  limitKb: number,
  isIdentified: boolean,
): Promise<FormData> {
  const { headers } = c.req.raw
  const network = networkOfClient(c)
  const pieces = await readPieces(c.req.raw, limitKb, holdUpload(c, isIdentified))
  const type = headers.get('content-type') ?? ''
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return parseInTurn(network, length, () => parseForm(type, Buffer.concat(pieces))).catch(
    () => new FormData(),
  )
}

function parseForm(type: string, bytes: Buffer): Promise<FormData> | FormData {
  const [, boundary] = MULTIPART.exec(type) ?? []
  const separator = boundary === undefined ? '&' : `--${boundary}`
  const isForm = boundary !== undefined || URL_ENCODED.test(type)
  return isForm && hasFewFields(bytes, separator)
    ? new Response(bytes, { headers: { 'content-type': type } }).formData()
    : new FormData()
}

function hasFewFields(bytes: Buffer, separator: string): boolean {
  let at = bytes.indexOf(separator)
  for (let count = 0; at >= 0 && count < MAX_FIELDS; count += 1) {
    at = bytes.indexOf(separator, at + separator.length)
  }
  return at < 0
}
