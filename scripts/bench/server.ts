import { NO_RATE_LIMITS } from '../local/no-rate-limits.ts'
import { type LocalServer, startLocalServer } from '../local/server.ts'
import { useProductionHeap } from '../v8-flags.ts'
import { connectInspector, type Inspector } from './process/inspector.ts'
import { startWithPid } from './process/memory.ts'

export type BenchServer = {
  origin: string
  /** The ID of its process, where it is known. */
  pid: number | null
  stop(): Promise<void>
}

/**
 * Starts the tracker on workerd, as `npm start` does, with the data of a folder: the deployed form of the
 * code, the default settings, and no more heap than in production.
 */
export async function startServer(folder: string): Promise<BenchServer> {
  return startWithPid(async () => {
    const { url, stop } = await openServer(folder, 'deployed', {})
    return { origin: url.origin, stop }
  })
}

/** The same, but responses report their cost, and an inspector is connected to the isolate. */
export async function startInspectedServer(
  folder: string,
  form: 'deployed' | 'readable',
): Promise<BenchServer & { inspector: Inspector }> {
  return startWithPid(async () => {
    const { url, miniflare, stop } = await openServer(folder, form, {
      vars: { SERVER_TIMING: 'on' },
      inspectorPort: 0,
    })
    const inspector = await connectInspector(await miniflare.getInspectorURL(), 'lacewing')
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

function openServer(
  folder: string,
  form: 'deployed' | 'readable',
  options: { vars?: Record<string, string>; inspectorPort?: number },
): Promise<LocalServer> {
  useProductionHeap()
  const address = { port: 0, host: '127.0.0.1' }
  const minified = form === 'deployed'
  // the receiver of the webhooks runs on this computer
  const vars = { ...NO_RATE_LIMITS, WEBHOOK_ALLOW_PRIVATE: 'on', ...options.vars }
  return startLocalServer({ ...address, persistTo: folder, minified, ...options, vars })
}
