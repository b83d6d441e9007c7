import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { NO_RATE_LIMITS } from '../local/no-rate-limits.ts'
import { startLocalServer } from '../local/server.ts'
import { useProductionHeap } from '../v8-flags.ts'
import { ROOT } from '../wrangler.ts'
import { connectInspector, type Inspector } from './inspector.ts'
import { findListener } from './process.ts'

export type BenchServer = {
  origin: string
  /** The ID of its process, where it is known. */
  pid: number | null
  stop(): Promise<void>
}

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

export type BaselineName = keyof typeof BASELINES

export const BASELINE_NAMES = Object.keys(BASELINES) as BaselineName[]

/** A server whose responses report their cost, and whose isolate has an inspector. */
export type InspectedServer = BenchServer & { inspector: Inspector }

type Form = { minified?: boolean; vars?: Record<string, string> }

/**
 * Starts the tracker on workerd, as `npm start` does, with the data of a folder: the deployed form of the
 * code, the default settings, and no more heap than in production.
 */
export async function startServer(
  folder: string,
  form: Form = {},
): Promise<BenchServer & { runCrons(): Promise<void> }> {
  const { crons, miniflare, ...server } = await openServer(folder, form)
  return {
    ...server,
    /** Runs what each cron runs, one after the other. */
    async runCrons() {
      const worker = await miniflare.getWorker()
      for (const cron of crons) {
        await worker.scheduled({ cron, scheduledTime: new Date() })
      }
    },
  }
}

export async function startInspectedServer(
  folder: string,
  { minified, vars }: Form = {},
): Promise<InspectedServer> {
  const reporting = { minified, vars: { ...vars, SERVER_TIMING: 'on' }, inspectorPort: 0 }
  const { miniflare, ...server } = await openServer(folder, reporting)
  const inspector = await connectInspector(await miniflare.getInspectorURL(), 'lacewing')
  return {
    ...server,
    inspector,
    async stop() {
      inspector.close()
      await server.stop()
    },
  }
}

async function openServer(
  folder: string,
  { minified = true, vars, ...options }: Form & { inspectorPort?: number },
) {
  useProductionHeap()
  // the receiver of the webhooks runs on this computer
  const all = { ...NO_RATE_LIMITS, WEBHOOK_ALLOW_PRIVATE: 'on', ...vars }
  const address = { port: 0, host: '127.0.0.1' }
  const form = { ...address, persistTo: folder, minified, ...options, vars: all }
  const { url, crons, miniflare, stop } = await startLocalServer(form)
  return { origin: url.origin, pid: findListener(url.origin), stop, crons, miniflare }
}

/** Starts a baseline in the same runtime as the service, with its database on the same disk. */
export async function startBaseline(name: BaselineName): Promise<BenchServer> {
  useProductionHeap()
  const folder = resolve(ROOT, '.wrangler/bench/baselines', name.replace(' ', '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: BASELINES[name],
      compatibilityDate: '2026-10-20',
      d1Databases: { DB: 'baseline' },
      resourcePersistencePath: join(folder, 'v3'),
      resourceTmpPath: join(folder, 'tmp'),
      cf: false,
      logRequests: false,
    }),
  )
  const { origin } = await runtime.ready
  const db = await runtime.getD1Database('DB')
  await db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, summary TEXT)')
  await db.prepare('INSERT INTO one VALUES (1, ?)').bind('The window does not close').run()
  return {
    origin,
    pid: findListener(origin),
    async stop() {
      await runtime.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
