import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** Enough for the longest test on a quiet machine, many times over. */
const LIMIT_MS = 120_000
const MOST = 3

/** What a core of CI needs for the work below. */
const WORK_MS = 50
const WORK_BYTES = 50 * 1024 * 1024

/**
 * When a test is taken to hang, in milliseconds: later on a machine that is busy or slow. What a test may cost is
 * counted in round trips and rows, not in time.
 */
export function computeTimeLimit(): number {
  const started = performance.now()
  createHash('sha256').update(Buffer.alloc(WORK_BYTES)).digest()
  const slowness = (performance.now() - started) / WORK_MS
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  // programs that are started with a limit refuse one that is no whole number
  return Math.ceil(LIMIT_MS * Math.min(MOST, Math.max(1, slowness, load)))
}

/** How long a test waits for one thing before it says which: less than it may take as a whole. */
export const PATIENCE_MS = Math.ceil(computeTimeLimit() / 2)
