import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'

/** The name under which a request stands in the log. Most have nothing to be found there, and get none. */
export function requestIdOf(c: Context<AppEnv>): string {
  const requestId = c.get('requestId') ?? crypto.randomUUID()
  c.set('requestId', requestId)
  return requestId
}
