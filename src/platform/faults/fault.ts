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

// the faults that any room may throw

export const parameterMissing = defineFault<{ field: string }>(
  'parameterMissing',
  50,
  (d) => `The parameter '${d.field}' is required.`,
)
export const valueBlank = defineFault<{ field: string }>(
  'valueBlank',
  50,
  (d) => `The field '${d.field}' must have a value.`,
)
export const offsetWithoutLimit = defineFault(
  'offsetWithoutLimit',
  50,
  "The parameter 'offset' needs the parameter 'limit'.",
)
export const notAnInteger = defineFault<{ field: string; value: string }>(
  'notAnInteger',
  52,
  (d) => `'${d.field}' must be a whole number above zero, not '${d.value}'.`,
)
export const notACount = defineFault<{ field: string; value: string }>(
  'notACount',
  52,
  (d) => `'${d.field}' must be a whole number, 0 or more, not '${d.value}'.`,
)
export const notANumber = defineFault<{ field: string; value: string }>(
  'notANumber',
  52,
  (d) => `'${d.field}' must be a number, not '${d.value}'.`,
)
export const parameterInvalid = defineFault<{ field: string; reason: string }>(
  'parameterInvalid',
  53,
  (d) => `The parameter '${d.field}' ${d.reason}.`,
)
/** Refuses a parameter; `reason` completes "The parameter 'x' …". */
export function invalidParameter(field: string, reason: string): Fault {
  return fault(parameterInvalid, { field, reason })
}

export const parameterUnknown = defineFault<{ field: string }>(
  'parameterUnknown',
  53,
  (d) => `'${d.field}' is not a field of a new bug.`,
)
export const fieldNotSettable = defineFault<{ field: string }>(
  'fieldNotSettable',
  53,
  (d) => `The field '${d.field}' cannot be set by this operation.`,
)
export const fieldNotChangeable = defineFault<{ field: string }>(
  'fieldNotChangeable',
  53,
  (d) => `The field '${d.field}' cannot be changed by this operation.`,
)
export const numberTooLarge = defineFault<{ field: string; value: string; most: string }>(
  'numberTooLarge',
  54,
  (d) => `'${d.field}' is ${d.value}; it may be at most ${d.most}.`,
)
export const numberTooSmall = defineFault<{ field: string; value: string; least: string }>(
  'numberTooSmall',
  55,
  (d) => `'${d.field}' is ${d.value}; it must be at least ${d.least}.`,
)
export const dateInvalid = defineFault<{ field: string; value: string }>(
  'dateInvalid',
  56,
  (d) => `'${d.value}' in '${d.field}' is not a date; write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.`,
)
export const textTooLong = defineFault<{ field: string; length: number; most: number }>(
  'textTooLong',
  104,
  (d) => `The field '${d.field}' has ${d.length} characters; it may have ${d.most}.`,
)
export const idMalformed = defineFault<{ field: string; value: string }>(
  'idMalformed',
  32000,
  (d) => `'${d.value}' in '${d.field}' is not an ID.`,
)
export const nameTaken = defineFault<{ kind: string; name: string }>(
  'nameTaken',
  32000,
  (d) => `There is a ${d.kind} named '${d.name}' already.`,
)
export const objectProtected = defineFault<{ kind: string; name: string; reason: string }>(
  'objectProtected',
  32000,
  (d) => `The ${d.kind} '${d.name}' cannot be changed like that: ${d.reason}.`,
)
export const objectInUse = defineFault<{ kind: string; name: string; by: string }>(
  'objectInUse',
  32000,
  (d) => `The ${d.kind} '${d.name}' cannot be removed: ${d.by}.`,
)
export const emailInvalid = defineFault<{ email: string }>(
  'emailInvalid',
  501,
  (d) => `'${d.email}' is no e-mail address.`,
)
