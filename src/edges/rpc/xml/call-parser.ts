import type { SAXParser } from 'sax'
import { Fault, fault } from '../../../platform/faults/fault.ts'
import { rpcCallInvalid } from '../../../platform/http/operations/faults.ts'
import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { encodeUpload } from '../../../platform/http/request/upload-body.ts'
import { Base64Decoder } from '../../../platform/lib/base64.ts'
import type { Upload } from '../../../platform/lib/streaming-json-member.ts'
import type { RpcCall } from '../call.ts'
import { rpcNotReadable } from '../faults.ts'
import { isScalarType, parseScalar } from './scalars.ts'

/** Values within values. Code that walks through them would exhaust the stack far beyond this. */
const MAX_LEVELS = 100

/** The member whose base64 is decoded while it arrives. */
const UPLOAD = 'data'

/** One `value` element, or the `methodCall` around all of them. */
type Frame = {
  /** The type that the value declares; a value without one is a text. */
  type: string | null
  name: string
  readonly members: [string, unknown][]
  readonly items: unknown[]
  /** The value of a type that is a text, once its element ends. */
  scalar: unknown
}

/** Elements that hold texts, beside the types of values. */
const TEXT_ELEMENTS = ['methodName', 'name', 'base64']
/** Elements that only hold others. */
const CONTAINERS = ['methodCall', 'params', 'param', 'member', 'data']

/**
 * Parses the XML of a call while it arrives. The base64 of the upload is decoded on the way, that of other
 * members read as text. Document types, processing instructions and deep nesting are refused: -32700 for
 * malformed XML, -32600 for anything that is no call.
 */
export class CallParser {
  readonly #parser: SAXParser
  readonly #maxUploadBytes: number
  readonly #frames: Frame[] = []
  readonly #elements: string[] = []
  readonly #parameters: unknown[] = []
  #method = ''
  #text = ''
  #decoder: Base64Decoder | null = null
  #upload: Base64Decoder | null = null
  /** Characters of the upload. */
  uploadLength = 0

  /** `parser` is a strict one without events; the upload keeps at most so many bytes. */
  constructor(parser: SAXParser, maxUploadBytes: number) {
    this.#parser = parser
    this.#maxUploadBytes = maxUploadBytes
    parser.onopentag = ({ name }) => this.#open(name)
    parser.onclosetag = (name) => this.#close(name)
    parser.ontext = (text) => this.#readText(text)
    parser.oncdata = (text) => this.#readText(text)
    parser.ondoctype = () => refuseXml('has a document type')
    parser.onsgmldeclaration = () => refuseXml('has a declaration')
    parser.onerror = (error) => {
      throw error
    }
  }

  write(xml: string): void {
    this.#guard(() => this.#parser.write(xml))
  }

  /** The call, when no more pieces follow. */
  finish(): RpcCall {
    this.#guard(() => this.#parser.close())
    const [parameters = {}, ...others] = this.#parameters
    if (this.#method === '') {
      throw fault(rpcCallInvalid, { reason: 'it names no method' })
    }
    if (others.length > 0 || !isStruct(parameters ?? {})) {
      throw fault(rpcCallInvalid, { reason: 'its only parameter must be a struct' })
    }
    const named = (parameters ?? {}) as Parameters
    const text = named[UPLOAD]
    const textUpload = typeof text === 'string' ? encodeUpload(text) : null
    return {
      method: this.#method,
      parameters: named,
      upload: this.#upload === null ? textUpload : toUpload(this.#upload),
    }
  }

  /** sax throws plain errors for malformed XML, and refuses to continue. */
  #guard(read: () => unknown): void {
    try {
      read()
    } catch (error) {
      if (error instanceof Fault) {
        throw error
      }
      const [line = ''] = error instanceof Error ? error.message.split('\n') : []
      refuseXml(`cannot be read: ${line}`)
    }
  }

  #open(name: string): void {
    const parent = this.#elements.at(-1)
    const isSecond = parent === undefined && this.#method !== ''
    if (isSecond || (parent === undefined) !== (name === 'methodCall')) {
      throw fault(rpcCallInvalid, { reason: `<${name.slice(0, 50)}> stands outside of a call` })
    }
    this.#elements.push(name)
    this.#text = ''
    if (name === 'value') {
      this.#openValue()
    } else if (parent === 'value') {
      this.#openType(name)
    } else if (!CONTAINERS.includes(name) && !TEXT_ELEMENTS.includes(name)) {
      throw fault(rpcCallInvalid, { reason: `<${name.slice(0, 50)}> is no element of calls` })
    }
  }

  #openValue(): void {
    if (this.#frames.length >= MAX_LEVELS) {
      throw fault(rpcCallInvalid, { reason: 'it is nested too deeply' })
    }
    this.#frames.push({ type: null, name: '', members: [], items: [], scalar: undefined })
  }

  #openType(type: string): void {
    const frame = this.#frames.at(-1)
    const isKnown = isScalarType(type) || ['struct', 'array', 'base64'].includes(type)
    if (frame === undefined || frame.type !== null || !isKnown) {
      throw fault(rpcCallInvalid, { reason: `<${type.slice(0, 50)}> is no type of a value` })
    }
    frame.type = type
    if (type === 'base64') {
      this.#decoder = new Base64Decoder(this.#maxUploadBytes)
    }
  }

  #readText(text: string): void {
    if (this.#decoder === null) {
      this.#text += text
      return
    }
    this.#decoder.decode(text)
    if (this.#isUpload()) {
      this.uploadLength += text.length
    }
  }

  #close(name: string): void {
    this.#elements.pop()
    const text = this.#text
    this.#text = ''
    const frame = this.#frames.at(-1)
    if (name === 'methodName') {
      this.#method = text.trim()
    } else if (name === 'value') {
      this.#closeValue(text)
    } else if (name === 'base64') {
      this.#closeBase64()
    } else if (frame !== undefined && name === 'name') {
      frame.name = text
    } else if (frame !== undefined && name === frame.type && isScalarType(name)) {
      frame.scalar = parseScalar(name, text)
    }
  }

  #closeValue(text: string): void {
    const frame = this.#frames.pop()
    const value = frame === undefined ? undefined : buildValue(frame, text)
    const parent = this.#frames.at(-1)
    if (parent === undefined) {
      this.#parameters.push(value)
    } else if (parent.type === 'struct') {
      parent.members.push([parent.name, value])
    } else {
      parent.items.push(value)
    }
  }

  #closeBase64(): void {
    const [decoder, frame] = [this.#decoder, this.#frames.at(-1)]
    this.#decoder = null
    if (decoder === null || frame === undefined) {
      return
    }
    if (this.#isUpload()) {
      this.#upload = decoder
      frame.scalar = ''
    } else {
      frame.scalar = decodeText(toUpload(decoder))
    }
  }

  /** Whether the value at hand is the upload: a member of the only parameter. */
  #isUpload(): boolean {
    return this.#frames.length === 2 && this.#frames[0]?.name === UPLOAD
  }
}

/** The text is that of a value without a type. */
function buildValue({ type, members, items, scalar }: Frame, text: string): unknown {
  switch (type) {
    case null:
      return text
    case 'struct':
      // not assigned one by one, because a member may be called `__proto__`
      return Object.fromEntries(members)
    case 'array':
      return items
    default:
      return scalar
  }
}

function isStruct(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toUpload(decoder: Base64Decoder): Upload {
  return { size: decoder.size, blocks: decoder.blocks() }
}

function decodeText({ blocks }: Upload): string {
  const decoder = new TextDecoder()
  return blocks.map((block) => decoder.decode(block, { stream: true })).join('') + decoder.decode()
}

function refuseXml(reason: string): never {
  throw fault(rpcNotReadable, { reason: `The XML ${reason.slice(0, 200)}` })
}
