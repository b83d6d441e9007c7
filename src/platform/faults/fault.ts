/**
 * A way to refuse a call, defined once in the room that throws it: its number, its HTTP status and its
 * sentence.
 */
export type FaultKind<Details> = {
  readonly name: string
  readonly code: number
  readonly status: Status
  readonly message: (details: Details) => string
}

/** Any kind, for lists of what an operation may answer. */
export type AnyFault = FaultKind<never>

export type Status = 400 | 401 | 404 | 409 | 412 | 413 | 429 | 500 | 503

type NoDetails = Record<never, never>

/** The HTTP status of each number whose status is not 400. */
const STATUS_BY_CODE: Readonly<Record<number, Status>> = {
  51: 404,
  58: 413,
  101: 404,
  102: 401,
  106: 401,
  109: 401,
  110: 401,
  113: 401,
  115: 401,
  120: 401,
  300: 401,
  301: 401,
  304: 401,
  410: 401,
  504: 401,
  505: 401,
  32614: 404,
  [-32000]: 500,
}

/**
 * Defines a kind of fault under the name that docs and logs call it by. The status follows from the
 * number.
 */
export function defineFault<Details = NoDetails>(
  name: string,
  code: number,
  message: string | ((details: Details) => string),
  status: Status = STATUS_BY_CODE[code] ?? 400,
): FaultKind<Details> {
  return { name, code, status, message: typeof message === 'string' ? () => message : message }
}

/** A refusal, thrown to be answered. `platform/http/response/on-fault.ts` presents it. */
export class Fault extends Error {
  readonly kind: AnyFault
  readonly code: number
  readonly status: Status

  constructor(kind: AnyFault, message: string) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.code = kind.code
    this.status = kind.status
  }
}

/** Creates a refusal: `throw fault(commentTooLong, { most: 65_535 })`. A missing detail does not compile. */
export function fault<Details>(
  kind: FaultKind<Details>,
  ...[details]: keyof Details extends never ? [] : [Details]
): Fault {
  return new Fault(kind, kind.message(details as Details))
}

/** The sentence of a fault with its details in braces, for documentation. */
export function describeFault(kind: AnyFault): string {
  return (kind as FaultKind<unknown>).message(NAMED_DETAILS)
}

const NAMED_DETAILS: unknown = new Proxy({}, { get: (_, detail) => `{${String(detail)}}` })
