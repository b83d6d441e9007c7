import type { Ctx } from '../../platform/context.ts'
import type { QueryCost } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { discussionsTooLong } from './faults.ts'

/** Bugs whose comments, histories or attachments one request reads. */
export const MAX_DISCUSSED_BUGS = 1000
/**
 * Of the comments of many bugs, as `sumBytes` counts them: they take most of a second. The longest discussion does not
 * count, because one that is answered by itself must not end whoever reads all bugs page by page.
 */
const MAX_MEGABYTES = 10
/** More bugs than these are many. Few are answered with all of their comments, however long these are. */
const FEW = 50

/** What one request has read, however many calls it makes. */
const readOf = perObject((_: QueryCost) => ({ bugs: 0 }))

/** Counts bugs whose discussions a request is to read. Throws a fault when they are more than one request may read. */
export function admitDiscussions({ session }: Ctx, bugs: number): void {
  const read = readOf(session.cost)
  read.bugs += bugs
  if (read.bugs > MAX_DISCUSSED_BUGS) {
    failTooLong()
  }
}

/** Whether the length of the comments of so many bugs has to be known before they are sent. */
export function areManyDiscussed(bugs: number): boolean {
  return bugs > FEW
}

/** Throws a fault when the comments of many bugs, of which a statement told the bytes, are too long. */
export function admitComments(bytes: number): void {
  if (bytes > MAX_MEGABYTES * 1_000_000) {
    failTooLong()
  }
}

function failTooLong(): never {
  throw fault(discussionsTooLong, { bugs: MAX_DISCUSSED_BUGS, megabytes: MAX_MEGABYTES })
}
