/**
 * A request that an operation refuses. `{name}` in the request or the body is replaced by that name of
 * the world, and `'{#name}'` in the body by its number; a body that is a text is sent as it is.
 */
export type Refusal<By extends string = string> = {
  readonly code: number
  readonly by: By
  readonly request: string
  readonly body?: unknown
  /** Settings that differ from those of the tests. */
  readonly settings?: object
  /** A part of the message. */
  readonly naming?: string
}

/** A row of these tables. */
export function refused<const By extends string>(
  code: number,
  by: By,
  request: string,
  body?: unknown,
  naming?: string,
): Refusal<By> {
  return {
    ...{ code, by, request },
    ...(body !== undefined && { body }),
    ...(naming !== undefined && { naming }),
  }
}
