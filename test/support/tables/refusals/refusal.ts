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
