import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** A Worker that does next to nothing: what the runtime itself costs on this machine. */
export type Yardstick = { name: 'constant' | 'one row'; script: string }

export const YARDSTICKS: readonly Yardstick[] = [
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

/** Starts one, with a database in memory that has one row. */
export async function startYardstick({
  script,
}: Yardstick): Promise<{ origin: string; stop(): Promise<void> }> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script,
      compatibilityDate: '2026-10-20',
      d1Databases: { DB: 'yardstick' },
      cf: false,
    }),
  )
  const db = await runtime.getD1Database('DB')
  await db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, summary TEXT)')
  await db.prepare('INSERT INTO one VALUES (1, ?)').bind('The window does not close').run()
  const { origin } = await runtime.ready
  return { origin, stop: () => runtime.dispose() }
}
