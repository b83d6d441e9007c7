import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MINIFLARE } from '../local/miniflare.ts'
import { NO_RATE_LIMITS } from '../local/no-rate-limits.ts'
import { startLocalServer } from '../local/server.ts'
import { useProductionHeap } from '../v8-flags.ts'
import { ROOT } from '../wrangler.ts'
import { connectInspector, type Inspector } from './inspector.ts'
import { findListener } from './process.ts'

const { convertV4MiniflareOptions, Miniflare } = MINIFLARE

export type BenchServer = {
  origin: string
  /** The ID of its process, where it is known. */
  pid: number | null
  stop(): Promise<void>
}

/** A server of the tracker, which runs its crons when it is told to. */
export type TrackerServer = BenchServer & {
  /** Runs what each cron runs, one after the other. */
  runCrons(): Promise<void>
  /** Connects to its isolate, where it was started to be inspected. */
  inspect(): Promise<Inspector>
}

export type Form = { minified?: boolean; vars?: Record<string, string>; isInspected?: boolean }

/** Minimal Workers, whose times are those of the runtime itself on this machine. */
const BASELINES = {
  constant: `export default {
    fetch: () => new Response('{"version":"constant"}', { headers: { 'content-type': 'application/json' } }),
  }`,
  'one row': `export default {
    async fetch(request, env) {
      const row = await env.DB.prepare('SELECT id, summary FROM one WHERE id = ?').bind(1).first()
      return Response.json(row)
    },
  }`,
}

export const BASELINE_NAMES = Object.keys(BASELINES) as (keyof typeof BASELINES)[]

/**
 * Starts the tracker on workerd, as `npm start` does, with the data of a folder: the deployed form of the
 * code, the default settings, and no more heap than in production.
 */
export async function startServer(
  folder: string,
  { minified = true, vars, isInspected = false }: Form = {},
): Promise<TrackerServer> {
  useProductionHeap()
  const { url, crons, miniflare, stop } = await startLocalServer({
    ...{ port: 0, host: '127.0.0.1', persistTo: folder, minified },
    ...(isInspected && { inspectorPort: 0 }),
    // the receiver of the webhooks runs on this computer
    vars: { ...NO_RATE_LIMITS, WEBHOOK_ALLOW_PRIVATE: 'on', ...vars },
  })
  let inspector: Inspector | null = null
  return {
    ...{ origin: url.origin, pid: findListener(url.origin) },
    async runCrons() {
      const worker = await miniflare.getWorker()
      for (const cron of crons) {
        await worker.scheduled({ cron, scheduledTime: new Date() })
      }
    },
    async inspect() {
      inspector ??= await connectInspector(await miniflare.getInspectorURL(), 'lacewing')
      return inspector
    },
    async stop() {
      inspector?.close()
      await stop()
    },
  }
}

/** Starts a baseline in the same runtime as the service, with its database on the same disk. */
export async function startBaseline(name: keyof typeof BASELINES): Promise<BenchServer> {
  useProductionHeap()
  const folder = resolve(ROOT, '.wrangler/bench/baselines', name.replace(' ', '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: BASELINES[name], compatibilityDate: '2026-10-20' },
      d1Databases: { DB: 'baseline' },
      resourcePersistencePath: join(folder, 'v3'),
      resourceTmpPath: join(folder, 'tmp'),
      ...{ cf: false, logRequests: false },
    }),
  )
  const { origin } = await runtime.ready
  const db = await runtime.getD1Database('DB')
  await db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, summary TEXT)')
  await db.prepare('INSERT INTO one VALUES (1, ?)').bind('The window does not close').run()
  const stop = () => runtime.dispose()
  return { origin, pid: findListener(origin), stop }
}
