/** One refusal of the contract: its number, its HTTP status and how it is told. */
export type Entry<Details> = {
  readonly code: number
  readonly status: Status
  readonly message: (details: Details) => string
}

export type Status = 400 | 401 | 404 | 413 | 429 | 500 | 503

export type None = Record<never, never>
/** Statuses of the numbers that do not answer 400: contract "Errors" and docs/decisions.md. */
const STATUS: Readonly<Record<number, Status>> = {
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
  302: 401,
  304: 401,
  410: 401,
  504: 401,
  505: 401,
  32614: 404,
  [-32000]: 500,
}

/** A refusal with its number, told by its details; its status follows from the number unless given. */
export function entry<Details = None>(
  code: number,
  message: string | ((details: Details) => string),
  status: Status = STATUS[code] ?? 400,
): Entry<Details> {
  return { code, status, message: typeof message === 'string' ? () => message : message }
}
