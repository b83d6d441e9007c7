import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findLandmarks } from '../../scripts/bench/landmarks.ts'
import { SCENARIOS, signEvent } from '../../scripts/bench/scenarios.ts'
import { generateTracker } from '../../scripts/generator.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertWebhook } from '../support/builders/webhooks.ts'
import { get, send } from '../support/client.ts'
import { insertBot } from '../support/codehost.ts'
import { execute } from '../support/database/execute.ts'

const SEED = 20_003

for (const { sql, params } of generateTracker({ bugs: 1000, seed: SEED })) {
  await env.DB.prepare(sql)
    .bind(...params)
    .run()
}
const at = await findLandmarks(
  async (sql, ...params) =>
    (
      await env.DB.prepare(sql)
        .bind(...params)
        .all()
    ).results,
  SEED,
)
const developer = await insertPerson({ roles: ['editbugs'] })
const bot = await insertBot()
await insertWebhooks()
// whom the isolate has not seen costs one trip more, once
await get(developer, '/rest/whoami')

/** Ten of them are called about new bugs in their component. */
async function insertWebhooks() {
  const owner = await insertPerson()
  const [place] = await execute(sql`SELECT p.id AS product, c.id AS component FROM products p
    JOIN components c ON c.product_id = p.id WHERE p.name = ${at.product} AND c.name = ${at.heardComponent}`)
  const [productId, componentId] = [Number(place?.product), Number(place?.component)]
  for (let n = 0; n < 10; n += 1) {
    await insertWebhook(owner, { url: 'https://receiver.test/' }, { productId, componentId })
  }
}

describe('the cost of a request stays within its budget', () => {
  test.each(SCENARIOS)('$name', async ({ trips, read, written = 0, bytes, request }) => {
    const described = request(at, 1)
    const { method, path, body, event, headers: own } = described
    const headers = event === undefined ? { ...own } : signEvent(described, bot.key)
    const sent = method === 'GET' ? undefined : (body ?? {})
    const answer = await send(developer, method, path, sent, headers)
    expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(300)
    expect(answer.cost.trips, 'trips').toBeLessThanOrEqual(trips)
    expect(answer.cost.read, 'rows read').toBeLessThanOrEqual(read)
    expect(answer.cost.written, 'rows written').toBeLessThanOrEqual(written)
    expect(Buffer.byteLength(answer.text), 'bytes').toBeLessThanOrEqual(bytes ?? Infinity)
  })
})
