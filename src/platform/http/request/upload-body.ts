import type { Context } from 'hono'
import { fault } from '../../faults/fault.ts'
import {
  StreamingJsonMember,
  type Upload,
  type UploadBody,
} from '../../lib/streaming-json-member.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from './app-env.ts'
import { networkOfClient } from './client-address.ts'
import { readCounted } from './counted-body.ts'
import { bodyTooLarge } from './faults.ts'
import { parseInTurn } from './parse-turns.ts'
import { holdUpload } from './upload-memory.ts'

/**
 * How many times its limit an upload is read and counted, so that the fault can state the size of one that
 * is too large.
 */
const COUNTED_LIMITS = 2

/**
 * Reads the body of a request and decodes one member, at any of the levels of nesting, from base64 while it
 * arrives, so that memory holds its bytes once. Bytes beyond the largest attachment are counted and dropped,
 * and so is the rest of a refused body.
 */
export async function readUploadBody(
  c: Context<AppEnv>,
  member: string,
  isIdentified: boolean,
  levels?: readonly number[],
): Promise<UploadBody> {
  const { MAX_BODY_KB: textKb, MAX_ATTACHMENT_KB: dataKb } = readSettings(c.env)
  const limitKb = textKb + Math.ceil((dataKb * COUNTED_LIMITS * 4) / 3)
  let reader: StreamingJsonMember | null = new StreamingJsonMember(member, {
    maxMemberBytes: dataKb * 1024,
    maxRestBytes: textKb * 1024,
    ...(levels && { levels }),
  })
  const network = networkOfClient(c)
  let textBytes = 0
  await readCounted(c.req.raw, limitKb, holdUpload(c, isIdentified), {
    take(bytes) {
      const feed = () => {
        if (reader?.feed(bytes) === false) {
          throw fault(bodyTooLarge, { limitKb: textKb })
        }
      }
      if (reader?.isInMember) {
        return feed()
      }
      textBytes += bytes.length
      return parseInTurn(network, textBytes, feed)
    },
    drop() {
      reader = null
    },
  })
  return reader.finish()
}

/** The bytes of an upload that came as a text. */
export function encodeUpload(text: string): Upload {
  const bytes = new Uint8Array(new TextEncoder().encode(text))
  return { size: bytes.length, blocks: bytes.length === 0 ? [] : [bytes] }
}
