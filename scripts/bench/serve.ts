import { bundleWorker } from '../bundle.ts'
import { ensureDevVars } from '../dev-vars.ts'
import { openRuntime } from '../local-runtime.ts'
import { type Inspector, inspect } from './inspector.ts'

/** The heap of an isolate in production; it ends the Worker that needs more. */
const HEAP_MEGABYTES = 128

export type Served = { origin: string; inspector: Inspector; stop(): Promise<void> }

/**
 * The tracker on workerd alone, as `npm start` runs it, over the data in a folder, with no more heap
 * than in production. It tells the cost of each answer, and slows nobody down who asks often.
 */
export async function serve(folder: string): Promise<Served> {
  ensureDevVars()
  limitHeap()
  const vars = { SERVER_TIMING: 'on', THROTTLE_GUESSES: 'off' }
  const options = { port: 0, host: '127.0.0.1', persistTo: folder, vars, inspectorPort: 0 }
  const { url, miniflare, stop } = await openRuntime(options, bundleWorker('readable'))
  const inspector = await inspect(await miniflare.getInspectorURL(), 'lacewing')
  return {
    origin: url.origin,
    inspector,
    async stop() {
      inspector.close()
      await stop()
    },
  }
}

/** The runtime simulator takes flags for V8 from the environment alone. */
export function limitHeap(): void {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${HEAP_MEGABYTES}`
}
