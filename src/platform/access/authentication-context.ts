import type { DbSession } from '../db/session.ts'
import type { Settings } from '../settings/settings.ts'

/** The part of a call's context that authentication needs. */
export type AuthenticationContext = {
  readonly session: DbSession
  readonly settings: Settings
  readonly env: Env
  /** Address of the client. */
  readonly ip: string
  /** Unix seconds. */
  readonly now: number
  /** Begins work when the answer is complete. */
  defer(work: () => Promise<unknown>): void
}
