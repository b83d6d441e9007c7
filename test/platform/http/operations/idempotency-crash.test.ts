import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
import { commit } from '../../../../src/platform/db/commit.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { type Answer, expectFault, send } from '../../../support/client.ts'
import { buildProbe, fetchFrom, fetchWith } from '../../../support/clients/service.ts'
import { countRows, execute, loadRow } from '../../../support/database/execute.ts'

const ann = await insertPerson()
const place = await insertProduct()

function postWithKey(path: string, body: unknown, key: string): Promise<Answer> {
  return send(ann, 'POST', path, body, { 'idempotency-key': key })
}

/** Bindings whose database loses the answer of the commit, which it has carried out. */
function buildLosingBindings() {
  let isCommit = false
  const DB = {
    withSession(from: string) {
      const real = env.DB.withSession(from)
      return {
        prepare(text: string) {
          isCommit ||= text.startsWith('INSERT INTO idempotency_keys')
          return real.prepare(text)
        },
        async batch(list: D1PreparedStatement[]) {
          const results = await real.batch(list)
          if (isCommit) {
            throw new Error('D1_ERROR: Network connection lost.')
          }
          return results
        },
        getBookmark: () => real.getBookmark(),
      }
    },
  }
  return { DB }
}

async function postAndLose(path: string, body: unknown, key: string) {
  const silenced = vi.spyOn(console, 'error').mockReturnValue()
  const response = await fetchWith(buildLosingBindings(), path, {
    method: 'POST',
    headers: { 'x-tracker-api-key': ann.key, 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  silenced.mockRestore()
  expect(response.status).toBe(503)
}

describe('when the answer is lost after the change', () => {
  test('repeating a new bug gets its ID, because the commit recorded it', async () => {
    const key = uniqueName('key-')
    const body = buildBugBody(place)
    await postAndLose('/rest/bug', body, key)
    const answer = await postWithKey('/rest/bug', body, key)
    expect(answer.headers.get('idempotent-replayed')).toBe('true')
    const row = await loadRow('bugs', sql`summary = ${body.summary}`)
    expect(answer.body).toEqual({ id: row?.id })
    expect(await countRows('bugs', sql`summary = ${body.summary}`)).toBe(1)
  })

  test('repeating a comment gets its ID', async () => {
    const bug = await postBug(ann, place)
    const key = uniqueName('key-')
    await postAndLose(`/rest/bug/${bug}/comment`, { comment: 'Once.' }, key)
    const answer = await postWithKey(`/rest/bug/${bug}/comment`, { comment: 'Once.' }, key)
    const row = await loadRow('comments', sql`bug_id = ${bug} AND number = 1`)
    expect(answer.body).toEqual({ id: row?.id })
  })

  test('repeating anything else gets 409, first with the advice to ask again, and changes nothing', async () => {
    const key = uniqueName('key-')
    const description = uniqueName('key for ')
    await postAndLose('/rest/api_key', { description }, key)
    const early = await postWithKey('/rest/api_key', { description }, key)
    expectFault(early, 409, 32000, 'still being served')
    expect(early.headers.get('retry-after')).toBe('1')
    await execute(
      sql`UPDATE idempotency_keys SET created_at = created_at - 61 WHERE request_key = ${key}`,
    )
    const late = await postWithKey('/rest/api_key', { description }, key)
    expectFault(late, 409, 32000, 'its answer was lost')
    expect(late.headers.get('retry-after')).toBeNull()
    expect(await countRows('api_keys', sql`description = ${description}`)).toBe(1)
  })

  test('a verb that fails after its commit is not run again', async () => {
    let runs = 0
    const service = createService([
      buildProbe({ method: 'POST', input: z.looseObject({}) }, async (ctx) => {
        runs += 1
        await commit(ctx, {
          part: sql`INSERT INTO login_failures (login_fold, ip, failed_at) VALUES ('x', '::1', 0)`,
        })
        throw new Error('killed')
      }),
    ])
    const silenced = vi.spyOn(console, 'error').mockReturnValue()
    const init = {
      method: 'POST',
      headers: { 'x-tracker-api-key': ann.key, 'idempotency-key': uniqueName('key-') },
    }
    const statuses = [
      (await fetchFrom(service, '/rest/probe', init)).status,
      (await fetchFrom(service, '/rest/probe', init)).status,
    ]
    silenced.mockRestore()
    expect(statuses).toEqual([500, 409])
    expect(runs).toBe(1)
  })
})
