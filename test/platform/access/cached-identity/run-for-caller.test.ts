import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
import type { Ctx } from '../../../../src/platform/context.ts'
import { commit } from '../../../../src/platform/db/commit.ts'
import { readBatch, selectOf } from '../../../../src/platform/db/read-batch.ts'
import { fault, parameterInvalid } from '../../../../src/platform/faults/fault.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { NOW, uniqueName } from '../../../support/builders/unique.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'
import { executeBatch } from '../../../support/database/execute.ts'
import { UNREACHABLE } from '../../../support/fakes/sessions.ts'

const one = () => selectOf({ one: sql<number>`1` }, sql`FROM users LIMIT 1`)

/** A service with one verb, and for whom that was run so far. */
function createServiceFor(verb: (ctx: Ctx) => Promise<unknown>) {
  const ran: unknown[] = []
  const service = createService([
    buildProbe({}, (ctx) => {
      ran.push(ctx.caller.kind === 'person' ? ctx.caller.realName : ctx.caller.kind)
      return verb(ctx)
    }),
  ])
  return { ran, call: (who: TestPerson) => callService(service, who) }
}

async function callService(service: Parameters<typeof fetchFrom>[0], { key }: TestPerson) {
  const answer = await fetchFrom(service, '/rest/probe', { headers: { 'x-tracker-api-key': key } })
  const cost = answer.headers.get('server-timing') ?? ''
  const trips = Number(/(\d+) trips/.exec(cost)?.[1])
  return { status: answer.status, cost, trips, body: await answer.json<Record<string, unknown>>() }
}

const rename = (who: TestPerson, name: string) =>
  executeBatch(sql`UPDATE users SET real_name = ${name} WHERE id = ${who.id}`)
const revoke = (who: TestPerson) =>
  executeBatch(sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${who.id}`)

describe('a verb for a cached caller', () => {
  test.each<[string, (ctx: Ctx) => Promise<unknown>, number]>([
    ['reads nothing', async () => ({ done: true }), 1],
    ['reads', async (ctx) => ({ done: (await readBatch(ctx, { one: one() })).one }), 1],
    [
      'reads twice',
      async (ctx) => {
        await readBatch(ctx, { one: one() })
        return readBatch(ctx, { one: one() })
      },
      2,
    ],
    ['writes at once', async (ctx) => commit(ctx, { nobody: sql`DELETE FROM users WHERE 0` }), 2],
  ])('that %s runs once', async (_, verb, trips) => {
    const who = await insertPerson()
    const { ran, call } = createServiceFor(verb)
    await call(who)
    ran.length = 0
    expect(await call(who)).toMatchObject({ status: 200, trips })
    expect(ran).toHaveLength(1)
  })

  test('runs again when the caller has changed, and only the second run is answered', async () => {
    const who = await insertPerson()
    const { ran, call } = createServiceFor(async (ctx) => {
      const { caller } = ctx
      await readBatch(ctx, { one: one() })
      return caller.kind === 'person' ? caller.realName : null
    })
    await rename(who, 'Before')
    await call(who)
    await rename(who, 'After')
    expect((await call(who)).body).toBe('After')
    expect(ran).toEqual(['Before', 'Before', 'After'])
  })

  test('cannot read or write after it catches the failure of the check', async () => {
    const who = await insertPerson()
    const login = uniqueName('never')
    const overheard: unknown[] = []
    const { call } = createServiceFor(async (ctx) => {
      for (const attempt of [1, 2]) {
        const read = await readBatch(ctx, { one: one() }).catch((error: Error) => error.name)
        overheard.push(attempt, typeof read === 'string' ? read : 'rows')
      }
      const add = sql`INSERT INTO login_failures (login_fold, ip, failed_at)
        VALUES (${login}, '192.0.2.1', ${NOW})`
      await commit(ctx, {
        addition: add,
      }).catch(() => {})
      return { secret: true }
    })
    await call(who)
    await executeBatch(sql`DELETE FROM login_failures WHERE login_fold = ${login}`)
    overheard.length = 0
    await revoke(who)
    expect(await call(who)).toMatchObject({ status: 400, body: { code: 306 } })
    expect(overheard).toEqual([1, 'SessionCheckFailure', 2, 'SessionCheckFailure'])
    const [rows] = await executeBatch(
      sql`SELECT id FROM login_failures WHERE login_fold = ${login}`,
    )
    expect(rows).toEqual([])
  })

  test('shows its faults to no caller whose key was revoked', async () => {
    const who = await insertPerson()
    const { call } = createServiceFor(async () => {
      throw fault(parameterInvalid, { field: 'x', reason: 'is a secret' })
    })
    expect((await call(who)).body.code).toBe(53)
    expect(await call(who)).toMatchObject({ trips: 1, body: { code: 53 } })
    await revoke(who)
    expect((await call(who)).body.code).toBe(306)
  })

  test('has invalid input rejected in one round trip, which verifies the caller', async () => {
    const who = await insertPerson()
    const input = z.object({ n: z.literal('1') })
    const service = createService([buildProbe({ input }, async () => ({}))])
    const headers = { 'x-tracker-api-key': who.key }
    const probe = async (query: string) => {
      const answer = await fetchFrom(service, `/rest/probe?n=${query}`, { headers })
      const trips = Number(/(\d+) trips/.exec(answer.headers.get('server-timing') ?? '')?.[1])
      return { trips, ...(await answer.json<{ code?: number }>()) }
    }
    await probe('1')
    expect(await probe('2')).toMatchObject({ code: 53, trips: 1 })
    await rename(who, 'Another')
    expect(await probe('2')).toMatchObject({ code: 53, trips: 2 })
    await revoke(who)
    expect(await probe('2')).toMatchObject({ code: 306 })
  })

  test('shows no fault of a verb that throws before it returns a promise', async () => {
    const who = await insertPerson()
    const { call } = createServiceFor(() => {
      throw fault(parameterInvalid, { field: 'x', reason: 'is a secret' })
    })
    expect((await call(who)).body.code).toBe(53)
    expect(await call(who)).toMatchObject({ trips: 1, body: { code: 53 } })
    await revoke(who)
    expect((await call(who)).body.code).toBe(306)
  })

  test('reports no cost of reads for a revoked key', async () => {
    const costs = await Promise.all(
      [1, 5].map(async (most) => {
        const who = await insertPerson()
        const all = () => selectOf({ id: sql<number>`id` }, sql`FROM users LIMIT ${most}`)
        const { call } = createServiceFor(async (ctx) =>
          readBatch(ctx, most === 1 ? { all: all() } : { all: all(), more: all() }),
        )
        await call(who)
        await revoke(who)
        return (await call(who)).cost.replace(/dur=[\d.]+/g, '')
      }),
    )
    expect(costs[0]).toContain('trips')
    expect(costs[1]).toBe(costs[0])
  })

  test('runs again even when the person has become as cached again', async () => {
    const who = await insertPerson()
    const { ran, call } = createServiceFor(async (ctx) => {
      const { caller } = ctx
      const name = caller.kind === 'person' ? caller.realName : null
      const read = await readBatch(ctx, { one: one() }).catch((error: Error) => error.name)
      await rename(who, 'Before')
      return typeof read === 'string' ? read : name
    })
    await rename(who, 'Before')
    await call(who)
    await rename(who, 'After')
    expect((await call(who)).body).toBe('Before')
    expect(ran).toEqual(['Before', 'Before', 'Before'])
  })

  test('is checked once', async () => {
    const who = await insertPerson()
    const { call } = createServiceFor(async (ctx) => readBatch(ctx, { one: one() }))
    await rename(who, 'Before')
    await call(who)
    await rename(who, 'After')
    expect(await call(who)).toMatchObject({ status: 200, trips: 3 })
  })

  test('keeps no deferred work of a discarded run', async () => {
    const who = await insertPerson()
    const begun: string[] = []
    const { call } = createServiceFor(async (ctx) => {
      const { defer, caller } = ctx
      const name = caller.kind === 'person' ? caller.realName : ''
      defer(async () => begun.push(name))
      await readBatch(ctx, { one: one() })
      return {}
    })
    await rename(who, 'Before')
    await call(who)
    await rename(who, 'After')
    await call(who)
    expect(begun).toEqual(['Before', 'After'])
  })

  test('fails with the error of an unreachable database', async () => {
    const who = await insertPerson()
    const { call, ran } = createServiceFor(async (ctx) => readBatch(ctx, { one: one() }))
    await call(who)
    ran.length = 0
    const service = createService([buildProbe({}, async (ctx) => readBatch(ctx, { one: one() }))])
    const headers = { 'x-tracker-api-key': who.key }
    const answer = await fetchFrom(service, '/rest/probe', { headers }, { ...env, DB: UNREACHABLE })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 32000 })
  })
})
