import type { Context } from 'hono'
import type { AppEnv } from '../request/app-env.ts'

/** The ID of a request in the log. It is generated when first needed, because most requests log nothing. */
export function requestIdOf(c: Context<AppEnv>): string {
  const requestId = c.get('requestId') ?? crypto.randomUUID()
  c.set('requestId', requestId)
  return requestId
}
