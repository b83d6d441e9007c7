import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toNetwork } from '../../../src/platform/lib/address.ts'
import { newApiKey, newTokenSecret, sha256Hex } from '../../../src/platform/lib/crypto/secrets.ts'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueAddress } from '../../support/builders/unique.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { runStatements } from '../../support/database/statements.ts'

const BOOKMARK = '00000000-00000001-00000000-00000000000000000000000000000000'
const HOUR = 3600
const DAY = 86_400

type CallerAnswer = { status: number; id?: number; code?: number; message?: string; trips: number }

/** Whom the service takes a caller for. */
async function fetchCaller(
  { query = '', ...headers }: Record<string, string>,
  bindings: object = {},
): Promise<CallerAnswer> {
  const answer = await fetchWith(bindings, `/rest/whoami${query}`, { headers })
  const trips = Number(/(\d+) trips/.exec(answer.headers.get('server-timing') ?? '')?.[1])
  return { status: answer.status, trips, ...(await answer.json<object>()) }
}

async function execute(statement: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> {
  const [rows = []] = await runStatements([statement])
  return rows
}

/** A token as a login gives it. */
async function insertToken(
  { id }: TestPerson,
  more: { lastUsedAt?: number; boundIp?: string } = {},
): Promise<string> {
  const token = `${id}-${newTokenSecret()}`
  await execute(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at, bound_ip)
    VALUES (${await sha256Hex(token)}, ${id}, ${NOW}, ${more.lastUsedAt ?? NOW}, ${more.boundIp ?? null})`)
  return token
}

/** D1 with a copy that has heard of nothing yet: only sessions that begin at the primary find rows. */
function buildLaggingReplica(): { DB: D1Database } {
  const DB = overrideMembers(env.DB, {
    withSession(where: string) {
      const session = env.DB.withSession(where)
      return where === 'first-primary'
        ? session
        : overrideMembers(session, {
            batch: async (statements: D1PreparedStatement[]) =>
              (await session.batch(statements)).map((result) => ({ ...result, results: [] })),
          })
    },
  })
  return { DB }
}

function overrideMembers<Target extends object>(target: Target, instead: object): Target {
  return new Proxy(target, {
    get(_, name) {
      const own = Reflect.get(instead, name) ?? Reflect.get(target, name)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}

describe('an API key', () => {
  test.each<[string, (key: string) => Record<string, string>]>([
    ['its header', (key) => ({ 'x-tracker-api-key': key })],
    ['its other header', (key) => ({ 'X-BUGZILLA-API-KEY': key })],
    ['the query', (key) => ({ query: `?api_key=${key}` })],
    ['the query under its long name', (key) => ({ query: `?Tracker_api_key=${key}` })],
    ['the query under its other long name', (key) => ({ query: `?Bugzilla_api_key=${key}` })],
    ['a bearer', (key) => ({ authorization: `Bearer ${key}` })],
    ['header and query alike', (key) => ({ 'x-tracker-api-key': key, query: `?api_key=${key}` })],
    [
      'its header beside a bearer that is something else',
      (key) => ({ 'x-tracker-api-key': key, authorization: 'Bearer else' }),
    ],
    ['the query, with blanks around it', (key) => ({ query: `?api_key=%20${key}%20` })],
  ])('authenticates its owner in %s', async (_, sending) => {
    const ann = await insertPerson()
    expect(await fetchCaller(sending(ann.key))).toMatchObject({ status: 200, id: ann.id, trips: 1 })
  })

  test('authenticates its owner in the body of a write', async () => {
    const ann = await insertPerson()
    const body = JSON.stringify({ Bugzilla_api_key: ann.key, description: 'x' })
    const answer = await fetchWith({}, '/rest/api_key', { method: 'POST', body })
    expect(answer.status).toBe(201)
  })

  test('is case-sensitive', async () => {
    const { key } = await insertPerson()
    const swapped = key.replace(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    expect(await fetchCaller({ 'x-tracker-api-key': swapped })).toMatchObject({ code: 306 })
  })

  test('is rejected with 306 when it is unknown', async () => {
    expect(await fetchCaller({ 'x-tracker-api-key': newApiKey() })).toMatchObject({
      status: 400,
      code: 306,
      message: expect.stringContaining('API key'),
    })
  })

  test.each<[string, Parameters<typeof insertApiKey>[1], string]>([
    ['was revoked', { revoked: true }, 'The API key you presented has been revoked.'],
    [
      'has expired',
      { expiresAt: NOW - 1 },
      `The API key you presented expired at ${toDatetime(NOW - 1)}. Make a new one with POST /rest/api_key; before it expires, POST /rest/api_key/{id}/rotate replaces a key.`,
    ],
  ])('that %s is rejected with 306 and a message of its own', async (_, state, message) => {
    const { key } = await insertApiKey(await insertPerson(), state)
    expect(await fetchCaller({ 'x-tracker-api-key': key })).toMatchObject({
      status: 400,
      code: 306,
      message,
    })
  })

  test('works until it expires', async () => {
    const ann = await insertPerson()
    const { key } = await insertApiKey(ann, { expiresAt: NOW + HOUR })
    expect(await fetchCaller({ 'x-tracker-api-key': key })).toMatchObject({ id: ann.id })
  })

  test('is rejected with 301 and the reason for a disabled account', async () => {
    const { key } = await insertPerson({ loginDeniedText: 'Left in May.' })
    expect(await fetchCaller({ 'x-tracker-api-key': key })).toMatchObject({
      status: 401,
      code: 301,
      message: expect.stringContaining('Left in May.'),
    })
  })

  test('counts as absent when it is empty', async () => {
    expect(await fetchCaller({ 'x-tracker-api-key': '', 'x-bugzilla-api-key': '' })).toMatchObject({
      code: 410,
    })
  })
})

describe('a login token', () => {
  test.each<[string, (token: string) => Record<string, string>]>([
    ['its header', (token) => ({ 'x-tracker-token': token })],
    ['its other header', (token) => ({ 'x-bugzilla-token': token })],
    ['the query', (token) => ({ query: `?token=${token}` })],
    ['the query under its long name', (token) => ({ query: `?Tracker_token=${token}` })],
    ['the query under its other long name', (token) => ({ query: `?Bugzilla_token=${token}` })],
  ])('authenticates its owner in %s', async (_, sending) => {
    const ann = await insertPerson()
    expect(await fetchCaller(sending(await insertToken(ann)))).toMatchObject({
      id: ann.id,
      trips: 1,
    })
  })

  test('is rejected with 307 when it is unknown', async () => {
    const ann = await insertPerson()
    expect(await fetchCaller({ 'x-tracker-token': `${ann.id}-${newTokenSecret()}` })).toMatchObject(
      {
        status: 400,
        code: 307,
      },
    )
  })

  test('is unknown with the user ID of somebody else', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const [, secret] = (await insertToken(ann)).split('-')
    expect(await fetchCaller({ 'x-tracker-token': `${bob.id}-${secret}` })).toMatchObject({
      code: 307,
    })
  })

  test('counts as absent without the form of a token', async () => {
    expect(await fetchCaller({ 'x-tracker-token': 'nonsense' })).toMatchObject({ code: 410 })
  })

  test('expires after TOKEN_IDLE_DAYS without use, a week by default', async () => {
    const ann = await insertPerson()
    const idle = await insertToken(ann, { lastUsedAt: NOW - 7 * DAY - 60 })
    const used = await insertToken(ann, { lastUsedAt: NOW - 7 * DAY + 600 })
    expect(await fetchCaller({ 'x-tracker-token': idle })).toMatchObject({ code: 307 })
    expect(await fetchCaller({ 'x-tracker-token': idle }, { TOKEN_IDLE_DAYS: '8' })).toMatchObject({
      id: ann.id,
    })
    expect(await fetchCaller({ 'x-tracker-token': used })).toMatchObject({ id: ann.id })
  })

  test('is renewed by each use', async () => {
    const ann = await insertPerson()
    const token = await insertToken(ann, { lastUsedAt: NOW - 6 * DAY })
    await fetchCaller({ 'x-tracker-token': token })
    const [row] = await execute(
      sql`SELECT last_used_at FROM tokens WHERE hash = ${await sha256Hex(token)}`,
    )
    expect(row?.last_used_at).toBeGreaterThanOrEqual(NOW)
  })

  test('works only from the address that it is bound to', async () => {
    const ann = await insertPerson()
    const boundIp = uniqueAddress()
    const token = await insertToken(ann, { boundIp })
    const sent = { 'x-tracker-token': token }
    expect(await fetchCaller({ ...sent, 'cf-connecting-ip': boundIp })).toMatchObject({
      id: ann.id,
    })
    expect(await fetchCaller({ ...sent, 'cf-connecting-ip': uniqueAddress() })).toMatchObject({
      code: 307,
    })
    expect(await fetchCaller(sent)).toMatchObject({ code: 307 })
  })

  test('is rejected with 301 for a disabled account', async () => {
    const ann = await insertPerson({ loginDeniedText: 'Left.' })
    expect(await fetchCaller({ 'x-tracker-token': await insertToken(ann) })).toMatchObject({
      code: 301,
    })
  })
})

describe('several kinds of credentials', () => {
  test('are decided by the strongest, and a weaker valid one does not replace it', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const token = await insertToken(ann)
    const key = bob.key
    expect(await fetchCaller({ 'x-tracker-token': token, 'x-tracker-api-key': key })).toMatchObject(
      {
        id: ann.id,
      },
    )
    expect(
      await fetchCaller({ 'x-tracker-token': '1-bad', 'x-tracker-api-key': key }),
    ).toMatchObject({
      code: 307,
    })
    const query = '?login=nobody&password=wrong'
    expect(await fetchCaller({ query, 'x-tracker-api-key': key })).toMatchObject({ code: 300 })
  })
})

describe('a replica that lags behind', () => {
  test('does not decide that a key or a token is unknown', async () => {
    const ann = await insertPerson()
    const copy = buildLaggingReplica()
    const read = { 'x-d1-bookmark': BOOKMARK }
    const byKey = await fetchCaller({ ...read, 'x-tracker-api-key': ann.key }, copy)
    expect(byKey).toMatchObject({ id: ann.id, trips: 2 })
    const byToken = await fetchCaller({ ...read, 'x-tracker-token': await insertToken(ann) }, copy)
    expect(byToken).toMatchObject({ id: ann.id, trips: 2 })
  })

  test('decides that a key or a token is valid', async () => {
    const ann = await insertPerson()
    expect(
      await fetchCaller({ 'x-d1-bookmark': BOOKMARK, 'x-tracker-api-key': ann.key }),
    ).toMatchObject({ id: ann.id, trips: 1 })
  })

  test('does not make an unknown credential valid', async () => {
    const sent = { 'x-d1-bookmark': BOOKMARK, 'x-tracker-api-key': newApiKey() }
    expect(await fetchCaller(sent, buildLaggingReplica())).toMatchObject({ code: 306, trips: 2 })
  })
})

describe('an address that presents many invalid keys', () => {
  test('gets 429 for invalid keys, but not for valid ones', async () => {
    const ip = uniqueAddress()
    while ((await env.GUESSES.limit({ key: toNetwork(ip) })).success) {
      // uses up what the address is allowed
    }
    const from = { 'cf-connecting-ip': ip }
    const ann = await insertPerson()
    const guess = { ...from, 'x-tracker-api-key': newApiKey() }
    expect(await fetchCaller(guess)).toMatchObject({ status: 429, code: 32000 })
    expect(await fetchCaller({ ...from, 'x-tracker-token': '1-guess' })).toMatchObject({
      status: 429,
    })
    expect(await fetchCaller({ ...from, 'x-tracker-api-key': ann.key })).toMatchObject({
      id: ann.id,
    })
    expect(await fetchCaller(guess, { THROTTLE_GUESSES: 'off' })).toMatchObject({ code: 306 })
    expect(await fetchCaller({ ...guess, 'cf-connecting-ip': uniqueAddress() })).toMatchObject({
      code: 306,
    })
  })
})
