import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  admission,
  admit,
  admitMeanwhile,
} from '../../../../src/platform/http/operations/admission.ts'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { onFault } from '../../../../src/platform/http/response/on-fault.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const answers: (() => void)[] = []
const waiting: Promise<Response>[] = []

const service = new Hono<AppEnv>()
service.onError(onFault)
service.use(admission)
service.get('/unread', async (c) => {
  await new Promise<void>((resolve) => answers.push(resolve))
  return c.text('answered')
})
service.get('/arriving', async (c) => {
  await admitMeanwhile(c, async () => {})
  await new Promise<void>((resolve) => answers.push(resolve))
  return c.text('answered')
})
service.get('/identified', async (c) => {
  await admitMeanwhile(c, async () => {})
  return c.text('answered')
})
service.use((c, next) => {
  admit(c)
  return next()
})
service.get('/waiting', async (c) => {
  // what else the request asks for does not count
  admit(c)
  await new Promise<void>((resolve) => answers.push(resolve))
  return c.text('answered')
})
service.get('/failing', () => Promise.reject(new Error('wrong')))
service.get('/other', (c) => c.text('answered'))

async function ask(path: string, address?: string): Promise<Response> {
  const headers = new Headers(address === undefined ? [] : [['cf-connecting-ip', address]])
  return service.request(path, { headers }, env)
}

function wait(requests: number, path = '/waiting', address?: string): void {
  waiting.push(...Array.from({ length: requests }, () => ask(path, address)))
}

function answerAll(): void {
  for (const answer of answers.splice(0)) {
    answer()
  }
}

/** How many of five hundred requests are admitted. */
async function countRoom(): Promise<number> {
  const sent = Array.from({ length: 500 }, () => ask('/waiting'))
  await scheduler.wait(5)
  answerAll()
  return (await Promise.all(sent)).filter(({ status }) => status === 200).length
}

// requests that other tests have left without an answer count for half a minute
beforeEach(async () => {
  await expect.poll(countRoom, { timeout: 40_000, interval: 200 }).toBe(500)
}, 50_000)

afterEach(async () => {
  answerAll()
  const all = await Promise.all(waiting.splice(0))
  expect(all.every(({ status }) => status === 200)).toBe(true)
})

describe('requests that wait for their answers', () => {
  test('are five hundred at most; others are told to come back, until one is answered', async () => {
    wait(499)
    expect((await ask('/failing')).status).toBe(500)
    expect((await ask('/other')).status).toBe(200)
    wait(1)
    const refused = await ask('/other')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: true, code: 32000 })

    answers.pop()?.()
    await waiting.pop()
    expect((await ask('/other')).status).toBe(200)
  })

  test('are four hundred of one address at most, beside which others are served', async () => {
    wait(400, '/waiting', '192.0.2.7')
    expect((await ask('/other', '192.0.2.7')).status).toBe(503)
    expect((await ask('/other', '192.0.2.8')).status).toBe(200)
  })

  test('do not count while their bodies are not read', async () => {
    wait(600, '/unread')
    wait(400, '/arriving')
    await scheduler.wait(5)
    wait(400, '/arriving')
    await scheduler.wait(5)
    expect((await ask('/other')).status).toBe(200)
  })

  test('count while it is found out who sends a body', async () => {
    wait(500)
    expect((await ask('/identified')).status).toBe(503)
  })

  test('are refused in the form of each protocol, and keep no health check out', async () => {
    wait(500)
    const script = { accept: 'application/javascript' }
    const busy = await fetchWith({}, '/rest/bug?callback=cb', { headers: script })
    expect([busy.status, await busy.text()]).toEqual([503, expect.stringMatching(/^\/\*\*\/cb\(/)])
    expect(busy.headers.get('access-control-allow-origin')).toBe('*')

    const page = await fetchWith({}, '/bugs', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1'])
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)

    const call = { method: 'Bug.search', params: [{}], id: 7 }
    const rpc = await fetchWith({}, '/jsonrpc.cgi', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    expect(rpc.headers.get('retry-after')).toBe('1')
    expect(await rpc.json()).toMatchObject({ error: { code: 32000 } })

    expect((await fetchWith({}, '/healthz')).status).toBe(200)
    expect((await fetchWith({}, '/rest/bug', { method: 'OPTIONS' })).status).toBe(200)
  })
})
