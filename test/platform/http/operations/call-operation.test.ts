import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { callOperation } from '../../../../src/platform/http/operations/call-operation.ts'
import { loggedIn, type Operation } from '../../../../src/platform/http/operations/operation.ts'
import { count } from '../../../../src/platform/http/operations/shapes.ts'
import type { AppEnv, Parameters } from '../../../../src/platform/http/request/app-env.ts'
import { onFault } from '../../../../src/platform/http/response/on-fault.ts'
import { PagedAnswer } from '../../../../src/platform/http/response/paged-answer.ts'
import { responseHeaders } from '../../../../src/platform/http/response/response-headers.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

/** Calls an operation with these parameters from a route of its own. */
async function call(operation: Operation, parameters: Parameters = {}, key?: string) {
  const service = new Hono<AppEnv>()
  service.onError(onFault)
  service.use(responseHeaders)
  service.post('/', async (c) => {
    c.set('parameters', parameters)
    c.set('credentials', { keyInHeader: false, ...(key !== undefined && { key }) })
    return c.json({ answer: await callOperation(c, operation) })
  })
  return (await fetchFrom(service, '/', { method: 'POST' })).json<Record<string, unknown>>()
}

describe('an operation that another protocol calls', () => {
  const echo = buildProbe(
    { path: '/probe/:id', input: z.object({ id: z.string(), limit: count() }) },
    async (_, input) => input,
  )

  test('gets its parameters validated, those of its path among them', async () => {
    expect(await call(echo, { id: 'x', limit: '3', other: 1 })).toEqual({
      answer: { id: 'x', limit: 3 },
    })
    expect(await call(echo, { id: 'x', limit: 'many' })).toMatchObject({ code: 52 })
    expect(await call(echo, { limit: 1 })).toMatchObject({ code: 50 })
  })

  test('runs for the caller, and is refused as it is by its own route', async () => {
    const { id, key } = await insertPerson()
    const probe = buildProbe(
      { input: z.object({}), requires: loggedIn },
      async ({ caller }) => caller,
    )
    expect(await call(probe, {}, key)).toMatchObject({ answer: { id } })
    expect(await call(probe)).toMatchObject({ code: 410 })
    expect(await call(probe, {}, 'wrong')).toMatchObject({ code: 306 })
  })

  test('returns a page together with what its headers would say', async () => {
    const page = { next: { offset: '1' } }
    const probe = buildProbe({}, async () => new PagedAnswer([1], page))
    expect(await call(probe)).toEqual({ answer: { body: [1], page } })
  })
})
