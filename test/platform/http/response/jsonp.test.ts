import { describe, expect, test } from 'vitest'
import { createService } from '../../../../src/app.ts'
import { bugNotVisible } from '../../../../src/platform/access/faults.ts'
import { fault } from '../../../../src/platform/faults/fault.ts'
import { buildProbe, fetchFrom, streamPieces } from '../../../support/clients/service.ts'

const SCRIPT = { accept: 'application/javascript' }
const TEXT = 'line\u2028and paragraph\u2029end é'

const service = createService([
  buildProbe({ path: '/text' }, async () => ({ text: TEXT })),
  buildProbe({ path: '/refused' }, async () => {
    throw fault(bugNotVisible, { given: '7', anonymous: false })
  }),
  buildProbe({ path: '/streamed' }, async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ text: TEXT }))
    // single bytes, so that characters arrive in pieces
    const stream = streamPieces([...bytes].map((byte) => new Uint8Array([byte])))
    return new Response(stream, { headers: { 'content-type': 'application/json' } })
  }),
])

async function answer(path: string, headers: Record<string, string> = SCRIPT, method = 'GET') {
  const response = await fetchFrom(service, path, { method, headers })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

describe('a JSONP answer', () => {
  test('is wrapped in the callback when the request prefers JavaScript', async () => {
    expect(await answer('/rest/text?callback=my.handlers[0]._call')).toEqual({
      status: 200,
      type: 'application/javascript',
      text: '/**/my.handlers[0]._call({"text":"line\\u2028and paragraph\\u2029end é"})',
    })
  })

  test('is wrapped while it is streamed', async () => {
    expect(await answer('/rest/streamed?callback=cb')).toMatchObject({
      status: 200,
      text: '/**/cb({"text":"line\\u2028and paragraph\\u2029end é"})',
    })
  })

  test('is wrapped for an error too and keeps the status', async () => {
    const wrapped = await answer('/rest/refused?callback=cb')
    expect(wrapped).toMatchObject({ status: 401, type: 'application/javascript' })
    expect(wrapped.text).toMatch(/^\/\*\*\/cb\(\{"error":true,.*"code":102\}\)$/)
  })

  test('is wrapped for an unknown path too', async () => {
    const wrapped = await answer('/rest/nowhere?callback=cb')
    expect(wrapped).toMatchObject({ status: 404, type: 'application/javascript' })
    expect(wrapped.text).toContain('"code":32614')
  })

  test('is wrapped for a POST, and the callback is no parameter', async () => {
    const posts = createService([buildProbe({ method: 'POST' }, async (_, input) => input)])
    const response = await fetchFrom(posts, '/rest/probe?callback=cb', {
      method: 'POST',
      headers: SCRIPT,
      body: '{"a":1}',
    })
    expect(await response.text()).toBe('/**/cb({"a":1})')
  })

  test('is plain JSON with only the header or only the callback', async () => {
    expect(await answer('/rest/text')).toMatchObject({ type: 'application/json' })
    expect(await answer('/rest/text?callback=cb', {})).toMatchObject({ type: 'application/json' })
  })

  test('has the common headers and an ETag of its own', async () => {
    const wrapped = await fetchFrom(service, '/rest/text?callback=cb', { headers: SCRIPT })
    const plain = await fetchFrom(service, '/rest/text')
    expect(wrapped.headers.get('access-control-allow-origin')).toBe('*')
    expect(wrapped.headers.get('x-content-type-options')).toBe('nosniff')
    expect(wrapped.headers.get('etag')).toMatch(/^W\/".+"$/)
    const other = await fetchFrom(service, '/rest/text?callback=other', { headers: SCRIPT })
    const tags = [plain, wrapped, other].map(({ headers }) => headers.get('etag'))
    expect(new Set(tags).size).toBe(3)
  })
})

describe('a callback', () => {
  test.each(['a b', 'a(b)', 'a;b', 'é', 'a-b', "a'", '', ' ', '<script>'])(
    '%j is rejected with 32611 as plain JSON',
    async (name) => {
      const wrapped = await answer(`/rest/text?callback=${encodeURIComponent(name)}`)
      expect(wrapped).toMatchObject({ status: 400, type: 'application/json' })
      expect(JSON.parse(wrapped.text)).toMatchObject({ error: true, code: 32611 })
    },
  )

  test('is trimmed', async () => {
    expect((await answer('/rest/text?callback=%20cb%20')).text).toMatch(/^\/\*\*\/cb\(/)
  })
})

describe('the Accept header', () => {
  test.each([
    ['application/javascript', true],
    ['text/javascript', true],
    ['TEXT/JavaScript', true],
    ['application/javascript, */*;q=0.1', true],
    ['application/json;q=0.5, application/javascript', true],
    ['text/html, application/javascript;q=0.9, */*;q=0.8', true],
    ['application/javascript;q=0.5, application/json', false],
    ['application/json, application/javascript', false],
    ['application/javascript;q=0', false],
    ['application/javascript;q=0.2, */*;q=0.3', false],
    ['*/*', false],
    ['application/*, application/javascript', false],
    ['text/html', false],
    ['', false],
  ])('%j prefers JavaScript: %s', async (accept, isScript) => {
    const wrapped = await answer('/rest/text?callback=cb', { accept })
    expect(wrapped.type).toBe(isScript ? 'application/javascript' : 'application/json')
  })
})
