import type { Caller, Person } from './access/caller.ts'
import type { PresentedCredentials } from './access/credentials.ts'
import type { DbSession } from './db/session.ts'
import type { Upload } from './lib/streaming-json-member.ts'
import type { Settings } from './settings/settings.ts'

/**
 * What is given in vain: names that are parameters themselves or items of one; or what values of a search mean nothing,
 * as sentences, where the answer has no other place for them.
 */
export type NamedList = 'parameters' | 'include_fields' | 'exclude_fields' | 'columnlist' | 'faults'

/** What a verb may know of its call. HTTP, queue and cron each build one. */
export type Ctx = {
  readonly env: Env
  readonly settings: Settings
  readonly session: DbSession
  readonly caller: Caller
  /** For verbs about credentials, such as the login; all others read `caller`. */
  readonly credentials: PresentedCredentials
  /** Address of the client, for lockout and key records. */
  readonly ip: string
  /** Unix seconds; the same for the whole call. */
  readonly now: number
  /** Address of the service without a slash at the end, for links. */
  readonly baseUrl: string
  /** The header `If-Match` of a change. */
  readonly ifMatch?: string | undefined
  /** The large member of the body, for an operation that takes one; null when the body had none. */
  readonly upload?: Upload | null
  /** The request itself, for an operation that reads its body: a signed one, or bytes. */
  readonly rawRequest?: Request | null
  /** The answer is for a page, which shows the beginnings of long values and of very long lists. */
  readonly shortensValues?: true
  /** Keeps what turns out to mean nothing, parameters or items of one of the lists, for a header of the answer. */
  noteUnused(names: readonly string[], list?: NamedList): void
  /** Begins work when the answer is complete; a failure of the work is logged and has no other effect. */
  defer(work: () => Promise<unknown>): void
}

/** The context of a verb for people who are logged in. */
export type PersonCtx = Ctx & { readonly caller: Person }
