import type { OperationName } from '../../platform/http/operations/operations-by-name.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import type { PageInfo } from '../../platform/http/response/paged-answer.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** A JSON Schema of an argument, or of the members of a result. */
export type Schema = { [keyword: string]: Json }

/** What the operation behind a tool answered. */
export type ToolAnswer = {
  readonly body: unknown
  readonly page: PageInfo | undefined
  /** What of a search means nothing, as sentences, where the body does not say it. */
  readonly misunderstood: readonly string[]
  /** Names of parameters that the operation does not have. */
  readonly unused: readonly string[]
  /** Names of fields to read that do not exist. */
  readonly unknownFields: readonly string[]
  readonly given: Parameters
  /** Address of the service without a slash at the end. */
  readonly baseUrl: string
}

/** What a model gets. */
export type ToolResult = {
  readonly members: Parameters
  /** A picture beside them, in base64. */
  readonly image?: { readonly data: string; readonly mimeType: string }
}

/** A tool, over one operation of the REST API. */
export type Tool = {
  readonly name: string
  readonly title: string
  /** What it is for and when, in words for a model. */
  readonly description: string
  readonly effect: 'read' | 'add' | 'change'
  readonly takes: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly operation: OperationName
  /** Whether the operation may answer megabytes, so that one call in an isolate reads them at a time. */
  readonly isLong?: boolean
  /** Whether anonymous callers get 410 although the operation would answer them. */
  readonly needsLogin?: boolean
  /** The argument whose text becomes the bytes of an upload; base64 comes as `data`. */
  readonly uploadText?: string
  readonly gives: Readonly<Record<string, Schema>>
  /** The arguments that become parameters of other names, by these names, for faults. */
  readonly renamed?: Readonly<Record<string, string>>
  /**
   * The parameters of the operation, those of its path among them. Throws a fault for what it cannot take.
   */
  toParameters(given: Parameters): Parameters
  toResult(answer: ToolAnswer): ToolResult
}
