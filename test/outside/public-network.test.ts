import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PUBLIC_NETWORK } from '../../scripts/local/runtime.ts'

/** What webhooks travel through on a computer of one's own. */

let hits = 0
const server = createServer((_, response) => {
  hits += 1
  response.end('inside')
})
let runtime: Miniflare

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const script = `export default {
    fetch: async (request, env) => {
      const { via, to } = Object.fromEntries(new URL(request.url).searchParams)
      const call = via === 'public' ? env.PUBLIC_NETWORK.fetch(to) : fetch(to)
      return new Response(await call.then((answer) => answer.text(), () => 'refused'))
    },
  }`
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script,
      cf: false,
      serviceBindings: { PUBLIC_NETWORK },
    }),
  )
  await runtime.ready
})

afterAll(async () => {
  await runtime.dispose()
  server.close()
})

async function call(via: string, host: string): Promise<string> {
  const to = `http://${host}:${(server.address() as AddressInfo).port}/`
  const answer = await runtime.dispatchFetch(`http://tracker/?${new URLSearchParams({ via, to })}`)
  return answer.text()
}

test('the network of webhooks does not reach this computer, by number or by name', async () => {
  expect(await call('any', '127.0.0.1')).toBe('inside')
  const before = hits
  expect(await call('public', '127.0.0.1')).toBe('refused')
  expect(await call('public', 'localhost')).toBe('refused')
  expect(hits).toBe(before)
})
