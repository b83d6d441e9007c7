import type { Ctx } from '../../platform/context.ts'
import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import { fault } from '../../platform/faults/fault.ts'
import { discussionsTooLong } from './faults.ts'

/**
 * Of the comments of many bugs, as `sumBytes` counts them: they take most of a second. The longest discussion does not
 * count, because one that is answered by itself must not end whoever reads all bugs page by page.
 */
const MAX_MEGABYTES = 10
/** More bugs than these are many. Few are answered with as many comments as one bug is. */
const FEW = 50

/** Counts bugs whose discussions a request is to read. Throws a fault when they are more than one request may read. */
export function admitDiscussions(ctx: Ctx, bugs: number): void {
  if (take(ctx, 'discussedBugs', bugs) > MOST_OF_REQUEST.discussedBugs) {
    failTooLong()
  }
}

/** Whether the length of the discussions of so many bugs has to be known before they are read. */
export function areManyDiscussed(bugs: number): boolean {
  return bugs > FEW
}

/** Bytes of comments or of history; of comments also what `sumBytes` says of all but the longest discussion. */
type DiscussionSize = { readonly bytes: number; readonly memory?: number }

/** Counts what is to be sent of so many bugs. Throws a fault when that is too long. */
export function admitLength(
  ctx: Ctx,
  bugs: number,
  sizes: readonly (DiscussionSize | undefined)[],
): void {
  for (const { bytes, memory = 0 } of sizes.filter((size) => size !== undefined)) {
    const total = take(ctx, 'discussionBytes', bytes)
    const isTooLong = areManyDiscussed(bugs) && memory > MAX_MEGABYTES * 1_000_000
    if (isTooLong || total > MOST_OF_REQUEST.discussionBytes) {
      failTooLong()
    }
  }
}

export function failTooLong(): never {
  throw fault(discussionsTooLong, {
    bugs: MOST_OF_REQUEST.discussedBugs,
    megabytes: MAX_MEGABYTES,
    all: MOST_OF_REQUEST.discussionBytes / 1_000_000,
  })
}
