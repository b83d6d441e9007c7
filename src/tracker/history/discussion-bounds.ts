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
/** Of all comments and values of history that one request reads: no discussion of people comes near it. */
const MAX_MEGABYTES_OF_ALL = 50
/** More bugs than these are many. Few are answered with as many comments as one bug is. */
const FEW = 50

/** What one request has read, however many calls it makes. */
const readOf = perObject((_: QueryCost) => ({ bugs: 0, bytes: 0 }))

/** Counts bugs whose discussions a request is to read. Throws a fault when they are more than one request may read. */
export function admitDiscussions({ session }: Ctx, bugs: number): void {
  const read = readOf(session.cost)
  read.bugs += bugs
  if (read.bugs > MAX_DISCUSSED_BUGS) {
    failTooLong()
  }
}

/** Whether the length of the discussions of so many bugs has to be known before they are read. */
export function areManyDiscussed(bugs: number): boolean {
  return bugs > FEW
}

/** Bytes of comments or of history; of comments also what `sumBytes` says of all but the longest discussion. */
export type DiscussionSize = { readonly bytes: number; readonly memory?: number }

/** Counts what is to be sent of so many bugs. Throws a fault when that is too long. */
export function admitLength(
  { session }: Ctx,
  bugs: number,
  sizes: readonly (DiscussionSize | undefined)[],
): void {
  const read = readOf(session.cost)
  for (const { bytes, memory = 0 } of sizes.filter((size) => size !== undefined)) {
    read.bytes += bytes
    const isTooLong = areManyDiscussed(bugs) && memory > MAX_MEGABYTES * 1_000_000
    if (isTooLong || read.bytes > MAX_MEGABYTES_OF_ALL * 1_000_000) {
      failTooLong()
    }
  }
}

function failTooLong(): never {
  throw fault(discussionsTooLong, {
    bugs: MAX_DISCUSSED_BUGS,
    megabytes: MAX_MEGABYTES,
    all: MAX_MEGABYTES_OF_ALL,
  })
}
