import type { DbSession } from '../db/session.ts'
import type { Settings } from '../settings.ts'

/** What authentication needs of the call it serves. */
export type AuthenticationContext = {
  readonly session: DbSession
  readonly settings: Settings
  readonly env: Env
  /** Address of the client. */
  readonly ip: string
  /** Unix seconds. */
  readonly now: number
  /** Begins work once the answer is on its way. */
  later(work: () => Promise<unknown>): void
}
