import { computeTag } from '../../../platform/http/response/etag.ts'
import type { PageRequest } from '../page.ts'
import { type Bug, READ_BESIDE } from './load.ts'

/**
 * What an update compares the bug with: the fields that come by default, but for the time of the last change, which
 * moves with what the reader does not see.
 */
export const UNCOMPARED = ['last_change_time']

/** The tag that Get bugs would have for what `UNCOMPARED` leaves. */
export function tagOf({ ctx }: Pick<PageRequest, 'ctx'>, bug: Bug): string {
  const left = new Set([...READ_BESIDE, ...UNCOMPARED])
  const compared = Object.fromEntries(Object.entries(bug).filter(([name]) => !left.has(name)))
  return computeTag(
    JSON.stringify({ faults: [], bugs: [compared] }),
    undefined,
    ctx.env.SECRETS_KEY,
  )
}
