import { bundleWorker } from '../bundle.ts'
import { ensureDevVars } from '../dev-vars.ts'
import { openRuntime } from '../local-runtime.ts'
import type { LocalServer } from '../local-server.ts'
import { limitHeap } from '../v8-flags.ts'
import { type Inspector, inspect } from './inspector.ts'
import { tracked } from './memory.ts'

export type Served = {
  origin: string
  /** Of its process, where that can be told. */
  pid: number | null
  stop(): Promise<void>
}

/**
 * The tracker on workerd alone, as `npm start` runs it, over the data in a folder: the very code that is
 * deployed, with its default settings and no more heap than in production.
 */
export async function serve(folder: string): Promise<Served> {
  return tracked(async () => {
    const { url, stop } = await open(folder, 'deployed', {})
    return { origin: url.origin, stop }
  })
}

/** The same, but it tells the cost of each answer, and a debugger looks at its isolate. */
export async function serveWatched(
  folder: string,
  form: 'deployed' | 'readable',
): Promise<Served & { inspector: Inspector }> {
  return tracked(async () => {
    const { url, miniflare, stop } = await open(folder, form, {
      vars: { SERVER_TIMING: 'on' },
      inspectorPort: 0,
    })
    const inspector = await inspect(await miniflare.getInspectorURL(), 'lacewing')
    return {
      origin: url.origin,
      inspector,
      async stop() {
        inspector.close()
        await stop()
      },
    }
  })
}

function open(
  folder: string,
  form: 'deployed' | 'readable',
  options: { vars?: Record<string, string>; inspectorPort?: number },
): Promise<LocalServer> {
  ensureDevVars()
  limitHeap()
  return openRuntime(
    { port: 0, host: '127.0.0.1', persistTo: folder, vars: {}, ...options },
    bundleWorker(form),
  )
}
