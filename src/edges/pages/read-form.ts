import type { Context } from 'hono'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { findClientAddress, networkOf } from '../../platform/http/request/client-address.ts'
import { readPieces } from '../../platform/http/request/counted-body.ts'
import { parseInTurn } from '../../platform/http/request/parse-turns.ts'
import { UploadMemory } from '../../platform/http/request/upload-memory.ts'
import { readSettings } from '../../platform/settings/settings.ts'

/**
 * The fields of the form that was sent, none where the body is no form; the same for whoever asks again. A long form
 * takes part in the memory of uploads while it arrives, of its own where the sender is identified.
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
  const network = networkOf(findClientAddress(headers, readSettings(c.env)))
  const memory = new UploadMemory(isIdentified, network)
  const pieces = await readPieces(c.req.raw, limitKb, memory)
  memory.release()
  const type = headers.get('content-type') ?? ''
  const body = new Response(new Blob(pieces), { headers: { 'content-type': type } })
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return parseInTurn(length, () => body.formData()).catch(() => new FormData())
}
