import type { QuotaUse } from '../request/app-env.ts'

/** Seconds for which requests are counted together. */
export const WINDOW_SECONDS = 60

/**
 * Sets the headers of the IETF draft on rate limits, and for a refused request when to send it again.
 */
export function setQuotaHeaders(headers: Headers, { name, limit, left, seconds }: QuotaUse): void {
  headers.set('ratelimit-policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`)
  headers.set('ratelimit', `"${name}";r=${Math.max(left, 0)};t=${seconds}`)
  if (left < 0) {
    headers.set('retry-after', String(seconds))
  }
}
