import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { useProductionHeap } from '../v8-flags.ts'
import { ROOT } from '../wrangler.ts'
import { startWithPid } from './process/memory.ts'
import type { BaselineName } from './scenarios.ts'
import type { BenchServer } from './server.ts'

/** A minimal Worker, whose times are those of the runtime itself on this machine. */
type Baseline = { name: BaselineName; script: string }

export const BASELINES: readonly Baseline[] = [
  {
    name: 'constant',
    script: `export default {
      fetch: () => new Response('{"version":"constant"}', { headers: { 'content-type': 'application/json' } }),
    }`,
  },
  {
    name: 'one row',
    script: `export default {
      async fetch(request, env) {
        const row = await env.DB.prepare('SELECT id, summary FROM one WHERE id = ?').bind(1).first()
        return Response.json(row)
      },
    }`,
  },
]

/** Starts a baseline in the same runtime as the service, with its database on the same disk. */
export async function startBaseline({ name, script }: Baseline): Promise<BenchServer> {
  useProductionHeap()
  const folder = resolve(ROOT, '.wrangler/bench/baselines', name.replace(' ', '-'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { runtime, origin, pid } = await startWithPid(async () => {
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script,
        compatibilityDate: '2026-10-20',
        d1Databases: { DB: 'baseline' },
        resourcePersistencePath: join(folder, 'v3'),
        resourceTmpPath: join(folder, 'tmp'),
        cf: false,
        logRequests: false,
      }),
    )
    const { origin } = await runtime.ready
    return { runtime, origin }
  })
  const db = await runtime.getD1Database('DB')
  await db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, summary TEXT)')
  await db.prepare('INSERT INTO one VALUES (1, ?)').bind('The window does not close').run()
  return {
    origin,
    pid,
    async stop() {
      await runtime.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
