import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildEchoService, fetchFrom, streamPieces } from '../../../support/clients/service.ts'

const service = buildEchoService(
  ['GET', '/thing'],
  ['POST', '/thing'],
  ['PUT', '/thing/:id', z.looseObject({ id: z.string() })],
  ['DELETE', '/thing'],
)

/** The parameters that a verb is called with. */
async function fetchParameters(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetchFrom(service, path, init)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return answer.json()
}

function buildRequest(
  content: string,
  method = 'POST',
  headers: Record<string, string> = {},
): RequestInit {
  return { method, body: content, headers }
}

async function fetchFault(init: RequestInit, bindings: object = {}): Promise<unknown> {
  const answer = await fetchFrom(service, '/rest/thing', init, bindings)
  return { status: answer.status, ...(await answer.json<object>()) }
}

describe('the query of a request', () => {
  test('gives a text for a single value and a list for a repeated name', async () => {
    expect(await fetchParameters('/rest/thing?a=1&b=1&b=2&c=x+y%26&d')).toEqual({
      a: '1',
      b: ['1', '2'],
      c: 'x y&',
      d: '',
    })
  })

  test.each(['POST', 'DELETE'])('takes precedence over the body of a %s', async (method) => {
    const request = buildRequest('{"a":"body","b":["x","y"],"c":3}', method)
    expect(await fetchParameters('/rest/thing?a=query&b=one', request)).toEqual({
      a: 'query',
      b: 'one',
      c: 3,
    })
  })

  test('replaces a whole list of the body when a name is repeated', async () => {
    expect(await fetchParameters('/rest/thing?a=1&a=2', buildRequest('{"a":[3,4,5]}'))).toEqual({
      a: ['1', '2'],
    })
  })

  test('never replaces a parameter of the path', async () => {
    expect(
      await fetchParameters('/rest/thing/7?id=8', buildRequest('{"id":9,"x":1}', 'PUT')),
    ).toEqual({
      id: '7',
      x: 1,
    })
  })

  test('keeps a percent sign that is no escape', async () => {
    expect(await fetchParameters('/rest/thing?a=100%&token=&b=%FF')).toEqual({
      a: '100%',
      b: '%FF',
    })
  })
})

describe('the body of a request', () => {
  test.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/json; charset=utf-8',
    'nonsense',
  ])('is read as JSON when it is called %s', async (type) => {
    const request = buildRequest('{"a":{"b":[1,null,true]}}', 'POST', { 'content-type': type })
    expect(await fetchParameters('/rest/thing', request)).toEqual({ a: { b: [1, null, true] } })
  })

  test('is parsed as JSON without a content type', async () => {
    const request = { method: 'POST', body: new TextEncoder().encode('{"a":1}') }
    expect(await fetchParameters('/rest/thing', request)).toEqual({ a: 1 })
  })

  test.each(['', '  \n', 'null', '{}', '\uFEFF{}'])('%j means no parameters', async (content) => {
    expect(await fetchParameters('/rest/thing', buildRequest(content))).toEqual({})
  })

  test('may be absent', async () => {
    expect(await fetchParameters('/rest/thing?a=1', { method: 'POST' })).toEqual({ a: '1' })
  })

  test.each(['{', '{"a":1,}', 'a=1&b=2', "{'a':1}", '{"a":1} {}'])(
    '%j is rejected with 32000',
    async (content) => {
      expect(await fetchFault(buildRequest(content))).toEqual({
        status: 400,
        error: true,
        code: 32000,
        message: 'The request body is not valid JSON.',
      })
    },
  )

  test.each(['[]', '[{"a":1}]', '"text"', '1', 'true'])(
    '%s is rejected with 32000, because parameters have names',
    async (content) => {
      expect(await fetchFault(buildRequest(content))).toMatchObject({
        status: 400,
        code: 32000,
        message: 'The request body must be a JSON object.',
      })
    },
  )

  test('has U+FFFD for each lone surrogate', async () => {
    const escaped = String.raw`{"\ud83dk":"a\ud800b","c":"\uDFFF\uD800","d":"\ud83d\ude00","e":"\\ud800"}`
    expect(await fetchParameters('/rest/thing', buildRequest(escaped))).toEqual({
      '\ufffdk': 'a\ufffdb',
      c: '\ufffd\ufffd',
      d: '\u{1f600}',
      e: String.raw`\ud800`,
    })
  })

  test('is rejected with 32000 when it is nested too deeply to serialize', async () => {
    const content = `{"a":${'{"1":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
    expect(await fetchFault(buildRequest(content))).toMatchObject({
      status: 400,
      code: 32000,
      message: expect.stringContaining('nested too deeply'),
    })
  })

  test('has `__proto__` as an ordinary member, which changes no prototype', async () => {
    const content = '{"__proto__":{"x":1},"a":2}'
    const parameters = await fetchParameters('/rest/thing', buildRequest(content))
    // where it had become the prototype, the echo would lack it
    expect(parameters).toEqual(JSON.parse(content))
  })
})

describe('a large body', () => {
  const small = { MAX_BODY_KB: '1' }
  const fitting = `{"a":"${'x'.repeat(1024 - 8)}"}`

  test('may fill the limit to the last byte', async () => {
    expect(fitting.length).toBe(1024)
    expect((await fetchFrom(service, '/rest/thing', buildRequest(fitting), small)).status).toBe(200)
  })

  test('is rejected with 58 and 413 above the limit', async () => {
    expect(await fetchFault(buildRequest(`${fitting} `), small)).toEqual({
      status: 413,
      error: true,
      code: 58,
      message: 'The request body is larger than 1 KB.',
    })
  })

  test('is rejected while it arrives when its length is not announced', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(600))
    const stream = streamPieces([chunk, chunk])
    expect(await fetchFault({ method: 'POST', body: stream }, small)).toMatchObject({
      status: 413,
      code: 58,
    })
  })

  test('is measured in bytes, not characters', async () => {
    expect(await fetchFault(buildRequest(`{"a":"${'é'.repeat(600)}"}`), small)).toMatchObject({
      code: 58,
    })
  })
})

describe('credentials and the callback', () => {
  test.each([
    'api_key=k',
    'token=1-t',
    'Tracker_api_key=k',
    'Bugzilla_api_key=k',
    'Tracker_token=1-t',
    'Bugzilla_token=1-t',
    'Tracker_login=l',
    'Bugzilla_password=p',
    'callback=cb',
  ])('do not reach the verb of a GET: %s', async (pair) => {
    const request = fetchFrom(
      buildEchoService(['GET', '/thing']),
      `/rest/thing?${pair.replace('=', '=&a=1&ignored=')}`,
    )
    expect(await (await request).json()).toEqual({ a: '1', ignored: pair.split('=')[1] })
  })

  test('do not reach the verb of a POST from the query or the body', async () => {
    const content = JSON.stringify({ a: 1, api_key: '', Tracker_token: '', Bugzilla_login: 'l' })
    expect(
      await fetchParameters(
        '/rest/thing?token=&Bugzilla_api_key=&callback=x',
        buildRequest(content),
      ),
    ).toEqual({ a: 1 })
  })

  test('include a login with its password in the query, so that it never replaces data of the body', async () => {
    const content = '{"login":"new@example.com","password":"for the new one"}'
    const answer = await fetchFrom(service, '/rest/thing?login=&password=', buildRequest(content))
    // the empty pair is a wrong password
    expect(await answer.json()).toMatchObject({ code: 300 })
    expect(await fetchParameters('/rest/thing', buildRequest(content))).toEqual(JSON.parse(content))
  })

  test('do not include a login or a password alone', async () => {
    expect(await fetchParameters('/rest/thing?login=x')).toEqual({ login: 'x' })
    expect(await fetchParameters('/rest/thing?password=x')).toEqual({ password: 'x' })
  })
})
