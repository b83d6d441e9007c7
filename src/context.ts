import type { Caller } from './access/caller.ts'
import type { Presented } from './access/credentials.ts'
import type { DbSession } from './db/session.ts'
import type { Upload } from './lib/streaming-json-member.ts'
import type { Settings } from './settings.ts'

/** Everything a verb may know about the call it serves. HTTP, queue and cron build one alike. */
export type Ctx = {
  readonly env: Env
  readonly settings: Settings
  readonly session: DbSession
  readonly caller: Caller
  /** For the verbs whose subject are credentials themselves; everybody else asks `caller`. */
  readonly presented: Presented
  /** Address of the client, for lockout and key records. */
  readonly ip: string
  /** Unix seconds; one moment for the whole call. */
  readonly now: number
  /** Address of the service without a slash at the end, for links. */
  readonly baseUrl: string
  /** The large member of the body, for an operation that takes one; null when the body had none. */
  readonly upload?: Upload | null
  /** Work to begin once the answer is on its way; a failure is logged and nothing else. */
  later(work: () => Promise<unknown>): void
}
