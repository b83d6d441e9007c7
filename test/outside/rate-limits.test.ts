import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Miniflare, V4WorkerOptions } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker, toModules } from '../../scripts/bundle.ts'
import { readLocalConfig } from '../../scripts/local/config.ts'
import { readMigrations } from '../../scripts/migrations.ts'

/** Two isolates of the service on one database, as the platform runs many, with its own counters. */

const LIMIT = 5
const ISOLATES = ['one', 'two'] as const
const MINUTE_MS = 60_000
const MARGIN_MS = 15_000

let runtime: Miniflare

beforeAll(async () => {
  const limit = String(LIMIT)
  const variables = { LOGINS_PER_MINUTE: limit, ANONYMOUS_READS_PER_MINUTE: limit, BASE_URL: '' }
  const { worker } = readLocalConfig(variables, 'a secret for tests only')
  const { queueConsumers: _, ratelimits, ...options } = worker
  const limits = Object.entries(ratelimits).map(([name, { namespace_id, simple }]) => [
    name,
    { namespace_id, simple: { ...simple, limit: LIMIT } },
  ])
  const modules = toModules(await bundleWorker('readable'))
  const { convertV4MiniflareOptions, Miniflare } = loadMiniflare()
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      logRequests: false,
      workers: ISOLATES.map(
        (name) =>
          ({
            ...options,
            name,
            modules,
            ratelimits: Object.fromEntries(limits),
          }) as V4WorkerOptions,
      ),
    }),
  )
  const db = await runtime.getD1Database('DB', 'one')
  const migrations = readMigrations(join(import.meta.dirname, '../../drizzle'))
  await db.batch(migrations.flatMap(({ statements }) => statements.map((sql) => db.prepare(sql))))
})
afterAll(() => runtime?.dispose())

/** In CommonJS, as the local server loads it. */
function loadMiniflare(): typeof import('miniflare') {
  return createRequire(import.meta.url)('miniflare')
}

/** Sends one request from an address to an isolate, and returns the status. */
async function fetchFrom(isolate: string, address: string, path: string): Promise<number> {
  const worker = await runtime.getWorker(isolate)
  const headers = { 'cf-connecting-ip': address }
  const response = await worker.fetch(`http://tracker.test${path}`, { headers })
  await response.arrayBuffer()
  return response.status
}

/** Both count by the minute of the clock, and a test must not cross it. */
async function waitForRoomInMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS)
  if (left < MARGIN_MS) {
    await new Promise((wake) => setTimeout(wake, left))
  }
}

test('logins at once in two isolates are counted together, before a password is checked', async () => {
  await waitForRoomInMinute()
  const guesses = ISOLATES.flatMap((isolate) =>
    Array.from({ length: LIMIT }, (_, i) =>
      fetchFrom(isolate, '192.0.2.1', `/rest/login?login=nobody${i}&password=wrong`),
    ),
  )
  const statuses = await Promise.all(guesses)
  expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT)
  expect(statuses.filter((status) => status === 429)).toHaveLength(LIMIT)
})

test('an isolate whose own count is empty serves one request before the shared limit refuses', async () => {
  await waitForRoomInMinute()
  const send = (isolate: string) => fetchFrom(isolate, '192.0.2.2', '/rest/time')
  const first = []
  for (let n = 0; n < LIMIT; n += 1) {
    first.push(await send('one'))
  }
  expect(first).toEqual(first.map(() => 200))
  expect([await send('two'), await send('two')]).toEqual([200, 429])
  expect(await fetchFrom('two', '192.0.2.3', '/rest/time')).toBe(200)
})
