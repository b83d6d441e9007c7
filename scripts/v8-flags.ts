/** The runtime simulator takes flags for V8 from here alone. */
const VARIABLE = 'MINIFLARE_WORKERD_V8_FLAGS'

/**
 * Left alone, each of the runtime's isolates puts off its first full collection until its heap is large,
 * and what requests left behind outside the heap, several times as much, waits with it. A small first
 * limit, and a balance that lets a heap grow no further than collecting would cost, keep what the process
 * grows by to less than a third.
 */
const FRUGAL = [
  '--initial-heap-size=4',
  '--initial-old-space-size=2',
  '--memory-balancer',
  '--memory-balancer-c-value=1e-9',
]

/** MB of heap that an isolate has in production; it ends the Worker that needs more. */
const PRODUCTION_HEAP = 128

/** Lets every runtime started from here on keep little garbage, unless the environment says otherwise. */
export function keepLittleGarbage(): void {
  process.env[VARIABLE] ??= FRUGAL.join(' ')
}

/** The same, with no more heap than in production. */
export function limitHeap(): void {
  process.env[VARIABLE] ??= [...FRUGAL, `--max-heap-size=${PRODUCTION_HEAP}`].join(' ')
}

export function v8Flags(): string {
  return process.env[VARIABLE] ?? ''
}
