import type { Context } from 'hono'
import sax from 'sax'
import { fault } from '../../../platform/faults/fault.ts'
import type { AppEnv } from '../../../platform/http/request/app-env.ts'
import { networkOfClient } from '../../../platform/http/request/client-address.ts'
import { readCounted } from '../../../platform/http/request/counted-body.ts'
import { bodyTooLarge } from '../../../platform/http/request/faults.ts'
import { parseInTurn } from '../../../platform/http/request/parse-turns.ts'
import { holdUpload } from '../../../platform/http/request/upload-memory.ts'
import { readSettings } from '../../../platform/settings/settings.ts'
import type { RpcCall } from '../call.ts'
import { rpcNotReadable } from '../faults.ts'
import { CallParser } from './call-parser.ts'

/** How many times its limit an upload is read and counted, so that the fault can state its size. */
const COUNTED_LIMITS = 2
/** Line breaks in base64, and what else encoders add. */
const BASE64_GROWTH = 1.4
/** Bytes of an upload that the parser may have read and not yet reported. */
const UNREPORTED_BYTES = 256 * 1024

/**
 * Reads the call from the body of a request while it arrives. The rest of a refused body is read and dropped.
 */
export async function readXmlCall(c: Context<AppEnv>, isIdentified: boolean): Promise<RpcCall> {
  const { MAX_BODY_KB: textKb, MAX_ATTACHMENT_KB: dataKb } = readSettings(c.env)
  const limitKb = textKb + Math.ceil(dataKb * COUNTED_LIMITS * BASE64_GROWTH)
  let reader: BodyReader | null = new BodyReader(
    new CallParser(sax.parser(true), dataKb * 1024),
    textKb,
  )
  const network = networkOfClient(c)
  await readCounted(c.req.raw, limitKb, holdUpload(c, isIdentified), {
    take(bytes) {
      const read = () => reader?.read(bytes)
      return reader?.isInUpload ? read() : parseInTurn(network, bytes.length, read)
    },
    drop() {
      reader = null
    },
  })
  return reader.finish()
}

/** Decodes bytes for the parser, and counts them. */
class BodyReader {
  readonly #parser: CallParser
  readonly #textLimitKb: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  #size = 0
  #isInUpload = false

  constructor(parser: CallParser, textLimitKb: number) {
    this.#parser = parser
    this.#textLimitKb = textLimitKb
  }

  /** Whether the bytes before these were those of an upload, which are quickly read. */
  get isInUpload(): boolean {
    return this.#isInUpload
  }

  read(bytes: Uint8Array): void {
    const before = this.#parser.uploadLength
    this.#size += bytes.length
    this.#parser.write(decodeUtf8(() => this.#decoder.decode(bytes, { stream: true })))
    this.#isInUpload = this.#parser.uploadLength > before
    this.#limitText(UNREPORTED_BYTES)
  }

  finish(): RpcCall {
    this.#parser.write(decodeUtf8(() => this.#decoder.decode()))
    const call = this.#parser.finish()
    this.#limitText(0)
    return call
  }

  #limitText(tolerance: number): void {
    const textBytes = this.#size - this.#parser.uploadLength
    if (textBytes > this.#textLimitKb * 1024 + tolerance) {
      throw fault(bodyTooLarge, { limitKb: this.#textLimitKb })
    }
  }
}

function decodeUtf8(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw fault(rpcNotReadable, { reason: 'The XML is not encoded in UTF-8' })
  }
}
