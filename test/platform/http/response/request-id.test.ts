import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { requestIdOf } from '../../../../src/platform/http/response/request-id.ts'

test('a request keeps its generated ID, and no two requests share one', async () => {
  const service = new Hono<AppEnv>()
  service.get('/', (c) => c.json([c.get('requestId'), requestIdOf(c), requestIdOf(c)]))
  const [none, ...ids] = (await (await service.request('/')).json()) as (string | null)[]
  const [, other] = (await (await service.request('/')).json()) as (string | null)[]
  expect(none).toBeNull()
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), ids[0]])
  expect(other).not.toBe(ids[0])
})
