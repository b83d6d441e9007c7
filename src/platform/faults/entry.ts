/** An entry of the catalogue: the number of a fault, its HTTP status, and its message. */
export type Entry<Details> = {
  readonly code: number
  readonly status: Status
  readonly message: (details: Details) => string
}

export type Status = 400 | 401 | 404 | 409 | 412 | 413 | 429 | 500 | 503

export type NoDetails = Record<never, never>
/** The HTTP status of each number whose status is not 400. Reference: errors.md, "Status of an error". */
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

/** Defines an entry. The status follows from the number unless it is given. */
export function entry<Details = NoDetails>(
  code: number,
  message: string | ((details: Details) => string),
  status: Status = STATUS_BY_CODE[code] ?? 400,
): Entry<Details> {
  return { code, status, message: typeof message === 'string' ? () => message : message }
}
