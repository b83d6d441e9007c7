import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { BUDGETS, type Budget } from '../../scripts/bench/budgets.ts'
import { findLandmarks, type Landmarks } from '../../scripts/bench/landmarks.ts'
import { SCENARIOS } from '../../scripts/bench/scenarios.ts'
import { generateTracker } from '../../scripts/generator.ts'
import { insertPerson } from '../support/builders/people.ts'
import { get, post, put, type Sender } from '../support/client.ts'

const SEED = 20_003

let at: Landmarks
let developer: Sender

beforeAll(async () => {
  for (const { sql, params } of generateTracker({ bugs: 1000, seed: SEED })) {
    await env.DB.prepare(sql)
      .bind(...params)
      .run()
  }
  at = await findLandmarks(
    async (sql, ...params) =>
      (
        await env.DB.prepare(sql)
          .bind(...params)
          .all()
      ).results,
    SEED,
  )
  developer = await insertPerson({ roles: ['editbugs'] })
  // whom the isolate has not seen costs one trip more, once
  await get(developer, '/rest/whoami')
})

describe('the cost of a request stays within its budget', () => {
  test.each(SCENARIOS)('$name', async ({ name, request }) => {
    const budget: Budget = BUDGETS[name]
    const { method, path, body } = request(at, 1)
    const answer =
      method === 'GET'
        ? await get(developer, path)
        : await { POST: post, PUT: put }[method](developer, path, body ?? {})
    expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(300)
    expect(answer.cost.trips, 'trips').toBeLessThanOrEqual(budget.trips)
    expect(answer.cost.read, 'rows read').toBeLessThanOrEqual(budget.read)
    expect(answer.cost.written, 'rows written').toBeLessThanOrEqual(budget.written ?? 0)
  })
})
