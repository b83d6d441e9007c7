/**
 * A way to refuse a call, defined once in the room that throws it: its number, its HTTP status and its
 * sentence.
 */
type FaultKind<Details> = {
  readonly name: string
  readonly code: number
  readonly status: FaultStatus
  readonly message: (details: Details) => string
}

/** Any kind, for lists of what an operation may answer. */
export type AnyFault = FaultKind<never>

export type FaultStatus = 400 | 401 | 404 | 405 | 409 | 412 | 413 | 429 | 500 | 503

/** The HTTP status of each number whose status is not 400. */
const STATUS_BY_CODE: Readonly<Record<number, FaultStatus>> = {
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

type Row = readonly [
  code: number,
  sentence: string | ((details: never) => string),
  status?: FaultStatus,
]

/** The names in braces of a sentence. */
type NamesIn<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type DetailsOf<Sentence> = Sentence extends (details: infer Details) => string
  ? Details
  : { readonly [Name in NamesIn<Sentence>]: string | number }

/**
 * Defines kinds of faults under the names that docs and logs call them by: number, sentence with its details in
 * braces, and the HTTP status where it does not follow from the number.
 */
export function defineFaults<const Rows extends Readonly<Record<string, Row>>>(rows: Rows) {
  const kinds = Object.entries<Row>(rows).map(([name, [code, sentence, status]]) => [
    name,
    {
      name,
      code,
      status: status ?? STATUS_BY_CODE[code] ?? 400,
      message:
        typeof sentence === 'string' ? (details: object) => fill(sentence, details) : sentence,
    },
  ])
  return Object.fromEntries(kinds) as {
    readonly [Name in keyof Rows]: FaultKind<DetailsOf<Rows[Name][1]>>
  }
}

function fill(sentence: string, details: object): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(details[name as keyof typeof details]))
}

type Details = Readonly<Record<string, unknown>>

/** A refusal, thrown to be answered. `platform/http/response/on-fault.ts` presents it. */
export class Fault extends Error {
  readonly kind: AnyFault
  readonly code: number
  readonly status: FaultStatus
  /** Private, so that no answer and no log has them by accident: they may say what the caller must not know. */
  readonly #details: Details

  constructor(kind: AnyFault, details: Details) {
    super((kind as FaultKind<Details>).message(details))
    this.name = 'Fault'
    this.kind = kind
    this.#details = details
    this.code = kind.code
    this.status = kind.status
  }

  /** What its sentence was made of, for code that has to know what it is about. */
  get details(): Details {
    return this.#details
  }
}

/** Creates a refusal: `throw fault(commentTooLong, { most: 65_535 })`. A missing detail does not compile. */
export function fault<Details>(
  kind: FaultKind<Details>,
  ...[details]: keyof Details extends never ? [] : [Details]
): Fault {
  return new Fault(kind, details ?? {})
}

/** The sentence of a fault with its details in braces, for documentation. */
export function describeFault(kind: AnyFault): string {
  return (kind as FaultKind<unknown>).message(NAMED_DETAILS)
}

const NAMED_DETAILS: unknown = new Proxy({}, { get: (_, detail) => `{${String(detail)}}` })

// the faults that any room may throw

export const {
  parameterMissing,
  valueBlank,
  offsetWithoutLimit,
  notAnInteger,
  notACount,
  notANumber,
  parameterInvalid,
  parameterUnknown,
  fieldNotSettable,
  fieldNotChangeable,
  numberTooLarge,
  numberTooSmall,
  dateInvalid,
  dayInvalid,
  textTooLong,
  idMalformed,
  nameTaken,
  objectProtected,
  objectInUse,
  emailInvalid,
} = defineFaults({
  parameterMissing: [50, "The parameter '{field}' is required."],
  valueBlank: [50, "The field '{field}' must have a value."],
  offsetWithoutLimit: [50, "The parameter 'offset' needs the parameter 'limit'."],
  notAnInteger: [52, "'{field}' must be a whole number above zero, not '{value}'."],
  notACount: [52, "'{field}' must be a whole number, 0 or more, not '{value}'."],
  notANumber: [52, "'{field}' must be a number, not '{value}'."],
  parameterInvalid: [53, "The parameter '{field}' {reason}."],
  parameterUnknown: [53, "'{field}' is not a field of a new bug."],
  fieldNotSettable: [53, "The field '{field}' cannot be set by this operation."],
  fieldNotChangeable: [53, "The field '{field}' cannot be changed by this operation."],
  numberTooLarge: [54, "'{field}' is {value}; it may be at most {most}."],
  numberTooSmall: [55, "'{field}' is {value}; it must be at least {least}."],
  dateInvalid: [
    56,
    "'{value}' in '{field}' is not a date; write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.",
  ],
  dayInvalid: [56, "'{value}' in '{field}' is not a date; write YYYY-MM-DD."],
  textTooLong: [104, "The field '{field}' has {length} characters; it may have {most}."],
  idMalformed: [32000, "'{value}' in '{field}' is not an ID."],
  nameTaken: [32000, "There is a {kind} named '{name}' already."],
  objectProtected: [32000, "The {kind} '{name}' cannot be changed like that: {reason}."],
  objectInUse: [32000, "The {kind} '{name}' cannot be removed: {by}."],
  emailInvalid: [501, "'{email}' is no e-mail address."],
})

/** Refuses a parameter; `reason` completes "The parameter 'x' …". */
export function invalidParameter(field: string, reason: string): Fault {
  return fault(parameterInvalid, { field, reason })
}
