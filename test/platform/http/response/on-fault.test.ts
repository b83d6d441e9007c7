import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
import {
  apiKeyInvalid,
  bugIdUnknown,
  loginRequired,
  throttled,
} from '../../../../src/platform/access/faults.ts'
import { busy } from '../../../../src/platform/db/faults.ts'
import { type Fault, fault, parameterMissing } from '../../../../src/platform/faults/fault.ts'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { onFault } from '../../../../src/platform/http/response/on-fault.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

const SECRET = 'hunter2'

/** What a service answers whose verb throws. */
function fetchThrowing(thrown: () => never, path = '/rest/of/somebody'): Promise<Response> {
  const input = z.object({ who: z.string() })
  const service = createService([
    buildProbe({ path: '/of/:who{.+}', method: 'POST', input }, async () => thrown()),
  ])
  return fetchFrom(service, path, { method: 'POST', body: JSON.stringify({ password: SECRET }) })
}

function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe('a fault', () => {
  test.each<[Fault, number, number]>([
    [fault(parameterMissing, { field: 'x' }), 400, 50],
    [fault(bugIdUnknown, { id: '9' }), 404, 101],
    [fault(loginRequired), 401, 410],
    [fault(apiKeyInvalid), 400, 306],
  ])('%s answers the error object, the status and nothing else', async (refusal, status, code) => {
    const answer = await fetchThrowing(throwing(refusal))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ error: true, message: refusal.message, code })
    expect(answer.headers.get('retry-after')).toBeNull()
  })

  test('has Retry-After when it is temporary', async () => {
    const later = await fetchThrowing(throwing(fault(throttled)))
    expect([later.status, later.headers.get('retry-after')]).toEqual([429, '60'])
    const soon = await fetchThrowing(throwing(fault(busy)))
    expect([soon.status, soon.headers.get('retry-after')]).toEqual([503, '1'])
    expect(soon.headers.get('x-request-id'), 'every failure has an ID').not.toBeNull()
  })

  test('is not logged', async () => {
    const logged = vi.spyOn(console, 'error')
    await fetchThrowing(throwing(fault(loginRequired)))
    expect(logged).not.toHaveBeenCalled()
  })
})

describe('a failure of the storage', () => {
  test('is answered with 503 and Retry-After, and logged with its details', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failure = new Error('D1_ERROR: database or disk is full: SQLITE_FULL')
    const answer = await fetchThrowing(throwing(failure))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ error: true, code: 32000 })
    expect(String(logged.mock.calls[0]?.[0])).toContain('SQLITE_FULL')
  })
})

describe('an unforeseen error', () => {
  test('is answered with -32000, 500 and the ID of the request, without details', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await fetchThrowing(throwing(new TypeError(`cannot read ${SECRET}`)))
    const requestId = answer.headers.get('x-request-id')
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({
      error: true,
      message: `Something went wrong here. Please report the request ${requestId}.`,
      code: -32000,
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('is logged in one line with its route, without parameters', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await fetchThrowing(
      throwing(new SyntaxError(`Unexpected token in "${SECRET}"`)),
      `/rest/of/joe@example.com?x=${SECRET}`,
    )
    expect(logged).toHaveBeenCalledTimes(1)
    const [line] = logged.mock.calls[0] ?? []
    expect(JSON.parse(String(line))).toMatchObject({
      level: 'error',
      requestId: answer.headers.get('x-request-id'),
      method: 'POST',
      route: '/rest/of/:who{.+}',
      name: 'SyntaxError',
      frames: expect.arrayContaining([expect.stringMatching(/^at .+:\d+:\d+\)?$/)]),
    })
    expect(line).not.toContain(SECRET)
    expect(line).not.toContain('joe@')
  })

  test('is answered in the same way when the request has no ID yet', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const bare = new Hono<AppEnv>()
    bare.onError(onFault)
    bare.get('/', throwing(new Error('broken')))
    const answer = await bare.fetch(new Request('https://tracker.test/'))
    expect(await answer.json()).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/request [0-9a-f-]{36}\.$/),
    })
  })
})

describe('the member documentation of an error object', () => {
  const fetchMissing = (bindings: object) =>
    fetchFrom(createService([]), '/rest/nothing', {}, bindings).then((answer) => answer.json())

  test('is left out, because some clients know three members', async () => {
    expect(Object.keys(Object(await fetchMissing({}))).sort()).toEqual(['code', 'error', 'message'])
  })

  test('leads to the number at the address of the service, where the setting wants it', async () => {
    expect(await fetchMissing({ ERROR_DOCUMENTATION: 'on' })).toMatchObject({
      code: 32_614,
      documentation: 'https://tracker.test/docs#error-32614',
    })
    const BASE_URL = 'https://bugs.example/tracker'
    expect(await fetchMissing({ ERROR_DOCUMENTATION: 'on', BASE_URL })).toMatchObject({
      documentation: `${BASE_URL}/docs#error-32614`,
    })
  })
})
