import { get, type IncomingMessage } from 'node:http'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENTRY_MODULE } from '../../scripts/local/runtime.ts'

/** What `npm start` compresses. */

const LARGE = 1_000_000
const WORKER = `
let cancelled = 0
const piece = new TextEncoder().encode('0123456789'.repeat(10_000))

function stream(pieces, end) {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      sent += 1
      return sent <= pieces ? controller.enqueue(piece) : end(controller)
    },
    cancel: () => { cancelled += 1 },
  })
}

const BODIES = {
  small: () => 'small',
  part: () => 'part',
  text: () => '0123456789'.repeat(100_000),
  stream: () => stream(10, (controller) => controller.close()),
  short: () => stream(1, (controller) => controller.close()),
  failing: () => stream(1, (controller) => controller.error(new Error('lost'))),
  endless: () => stream(Number.POSITIVE_INFINITY),
  cancelled: () => String(cancelled),
  known: () => {
    const { readable, writable } = new FixedLengthStream(${LARGE})
    stream(10, (controller) => controller.close()).pipeTo(writable)
    return readable
  },
}

export default {
  async fetch(request) {
    const [, name, type] = new URL(request.url).pathname.split('/')
    const length = name === 'known' ? { 'content-length': '${LARGE}' } : {}
    const range = name === 'part' ? { 'content-range': 'bytes 3-6/10' } : {}
    const status = name === 'part' ? 206 : 200
    const headers = { 'content-type': 'text/' + (type ?? 'plain'), ...length, ...range }
    return new Response(BODIES[name](), { status, headers })
  },
}`

let runtime: Miniflare
let origin: string

beforeAll(async () => {
  const modules = [
    ENTRY_MODULE,
    { type: 'ESModule' as const, path: 'worker.mjs', contents: WORKER },
  ]
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules,
      compatibilityDate: '2026-10-20',
      cf: false,
      logRequests: false,
    }),
  )
  origin = (await runtime.ready).origin
})
afterAll(() => runtime.dispose())

/** The answer as it travels, because `fetch` takes the encoding away. */
function begin(name: string, encoding?: string): Promise<IncomingMessage> {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding }
  return new Promise((resolve, reject) => {
    get(`${origin}/${name}`, { headers }, resolve).on('error', reject)
  })
}

async function ask(name: string, encoding?: string) {
  const answer = await begin(name, encoding)
  let length = 0
  for await (const { length: more } of answer) {
    length += more
  }
  const { 'content-encoding': encoded, 'content-length': known } = answer.headers
  return { encoded, known, length }
}

test.each(['small', 'short'])(
  'an answer that is %s is compressed for who asks for it',
  async (name) => {
    expect(await ask(name, 'gzip')).toMatchObject({ encoded: 'gzip' })
    expect(await ask(name)).toMatchObject({ encoded: undefined })
  },
)

test.each(['text', 'stream'])('a large %s stays as it is, and whole', async (name) => {
  expect(await ask(name, 'gzip, br')).toEqual({ encoded: 'identity', length: LARGE })
  expect(await ask(name)).toMatchObject({ encoded: undefined, length: LARGE })
})

test('a part of a file stays as it is, because its range counts the bytes that are sent', async () => {
  expect(await ask('part', 'gzip, br')).toMatchObject({ encoded: 'identity', length: 4 })
})

test('a large answer of known length keeps its length', async () => {
  const known = { encoded: 'identity', known: String(LARGE), length: LARGE }
  expect(await ask('known', 'gzip')).toEqual(known)
})

test('an answer that fails early breaks off behind what was sent', async () => {
  await expect(ask('failing', 'gzip')).rejects.toThrow(/hang up|aborted/)
})

test('an answer whose client has gone is not produced any further', async () => {
  const answer = await begin('endless', 'gzip')
  expect(answer.headers['content-encoding']).toBe('identity')
  answer.destroy()
  await expect.poll(async () => (await begin('cancelled')).read()?.toString() ?? '0').toBe('1')
})
