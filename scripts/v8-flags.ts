/** The only way to pass V8 flags to the local runtime. */
const VARIABLE = 'MINIFLARE_WORKERD_V8_FLAGS'

/**
 * By default each isolate delays its first full collection until its heap is large, which also keeps the
 * garbage outside of the heap, several times as much. A small initial heap, and a growth that is balanced
 * against the cost of collections, keep the growth of the process below a third.
 */
const SMALL_HEAP_FLAGS = [
  '--initial-heap-size=4',
  '--initial-old-space-size=2',
  '--memory-balancer',
  '--memory-balancer-c-value=1e-9',
]

/** The heap of an isolate in production in MB; a Worker that needs more is ended. */
const PRODUCTION_HEAP_MEGABYTES = 128

/** Makes later runtimes of this process keep little garbage, unless the environment sets flags. */
export function useSmallHeap(): void {
  process.env[VARIABLE] ??= SMALL_HEAP_FLAGS.join(' ')
}

/** The same, with the heap limit of production. */
export function useProductionHeap(): void {
  process.env[VARIABLE] ??= [
    ...SMALL_HEAP_FLAGS,
    `--max-heap-size=${PRODUCTION_HEAP_MEGABYTES}`,
  ].join(' ')
}

export function readV8Flags(): string {
  return process.env[VARIABLE] ?? ''
}
