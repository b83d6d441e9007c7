import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildEchoService, fetchFrom, streamPieces } from '../../support/clients/service.ts'

const service = buildEchoService(
  ['GET', '/thing'],
  ['POST', '/thing'],
  ['PUT', '/thing/:id', z.looseObject({ id: z.string() })],
  ['DELETE', '/thing'],
)

/** The parameters that a verb is called with. */
async function parameters(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetchFrom(service, path, init)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return answer.json()
}

function body(content: string, method = 'POST', headers: Record<string, string> = {}): RequestInit {
  return { method, body: content, headers }
}

async function refusal(init: RequestInit, bindings: object = {}): Promise<unknown> {
  const answer = await fetchFrom(service, '/rest/thing', init, bindings)
  return { status: answer.status, ...(await answer.json<object>()) }
}

describe('the query', () => {
  test('gives one occurrence as a text and several as a list', async () => {
    expect(await parameters('/rest/thing?a=1&b=1&b=2&c=x+y%26&d')).toEqual({
      a: '1',
      b: ['1', '2'],
      c: 'x y&',
      d: '',
    })
  })

  test.each(['POST', 'DELETE'])('of a %s wins over the body', async (method) => {
    const asked = body('{"a":"body","b":["x","y"],"c":3}', method)
    expect(await parameters('/rest/thing?a=query&b=one', asked)).toEqual({
      a: 'query',
      b: 'one',
      c: 3,
    })
  })

  test('replaces a whole list of the body when its name is repeated', async () => {
    expect(await parameters('/rest/thing?a=1&a=2', body('{"a":[3,4,5]}'))).toEqual({
      a: ['1', '2'],
    })
  })

  test('never replaces what stands in the path', async () => {
    expect(await parameters('/rest/thing/7?id=8', body('{"id":9,"x":1}', 'PUT'))).toEqual({
      id: '7',
      x: 1,
    })
  })

  test('keeps what a percent sign that escapes nothing says', async () => {
    expect(await parameters('/rest/thing?a=100%&token=&b=%FF')).toEqual({ a: '100%', b: '%FF' })
  })
})

describe('the body', () => {
  test.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/json; charset=utf-8',
    'nonsense',
  ])('is read as JSON when it is called %s', async (type) => {
    const asked = body('{"a":{"b":[1,null,true]}}', 'POST', { 'content-type': type })
    expect(await parameters('/rest/thing', asked)).toEqual({ a: { b: [1, null, true] } })
  })

  test('is read as JSON when it has no type', async () => {
    const asked = { method: 'POST', body: new TextEncoder().encode('{"a":1}') }
    expect(await parameters('/rest/thing', asked)).toEqual({ a: 1 })
  })

  test.each(['', '  \n', 'null', '{}', '\uFEFF{}'])('%j means no parameters', async (content) => {
    expect(await parameters('/rest/thing', body(content))).toEqual({})
  })

  test('may be absent', async () => {
    expect(await parameters('/rest/thing?a=1', { method: 'POST' })).toEqual({ a: '1' })
  })

  test.each(['{', '{"a":1,}', 'a=1&b=2', "{'a':1}", '{"a":1} {}'])(
    '%j is refused with 32000',
    async (content) => {
      expect(await refusal(body(content))).toEqual({
        status: 400,
        error: true,
        code: 32000,
        message: 'The request body is not valid JSON.',
      })
    },
  )

  test.each(['[]', '[{"a":1}]', '"text"', '1', 'true'])(
    '%s is refused with 32000, because parameters have names',
    async (content) => {
      expect(await refusal(body(content))).toMatchObject({
        status: 400,
        code: 32000,
        message: 'The request body must be a JSON object.',
      })
    },
  )

  test('has whole characters, whatever halves of them were escaped', async () => {
    const half = String.raw`{"\ud83dk":"a\ud800b","c":"\uDFFF\uD800","d":"\ud83d\ude00","e":"\\ud800"}`
    expect(await parameters('/rest/thing', body(half))).toEqual({
      '\ufffdk': 'a\ufffdb',
      c: '\ufffd\ufffd',
      d: '\u{1f600}',
      e: String.raw`\ud800`,
    })
  })

  test('nested too deeply to be written again is refused, not an error of ours', async () => {
    const content = `{"a":${'{"1":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
    expect(await refusal(body(content))).toMatchObject({
      status: 400,
      code: 32000,
      message: expect.stringContaining('nested too deeply'),
    })
  })

  test('gives nothing to the prototype of objects', async () => {
    const content = '{"__proto__":{"x":1},"a":2}'
    expect(await parameters('/rest/thing', body(content))).toEqual({ a: 2 })
  })
})

describe('a large body', () => {
  const small = { MAX_BODY_KB: '1' }
  const fitting = `{"a":"${'x'.repeat(1024 - 8)}"}`

  test('may fill the limit to the last byte', async () => {
    expect(fitting.length).toBe(1024)
    expect((await fetchFrom(service, '/rest/thing', body(fitting), small)).status).toBe(200)
  })

  test('above the limit is refused with 58 and 413', async () => {
    expect(await refusal(body(`${fitting} `), small)).toEqual({
      status: 413,
      error: true,
      code: 58,
      message: 'The request body is larger than 1 KB.',
    })
  })

  test('is refused while it arrives when its length is not announced', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(600))
    const stream = streamPieces([chunk, chunk])
    expect(await refusal({ method: 'POST', body: stream }, small)).toMatchObject({
      status: 413,
      code: 58,
    })
  })

  test('counts bytes, not characters', async () => {
    expect(await refusal(body(`{"a":"${'é'.repeat(600)}"}`), small)).toMatchObject({ code: 58 })
  })
})

describe('what is no parameter', () => {
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
  ])('does not reach the verb of a GET: %s', async (pair) => {
    const asked = fetchFrom(
      buildEchoService(['GET', '/thing']),
      `/rest/thing?${pair.replace('=', '=&a=1&ignored=')}`,
    )
    expect(await (await asked).json()).toEqual({ a: '1', ignored: pair.split('=')[1] })
  })

  test('does not reach the verb of a POST, from the query or the body', async () => {
    const content = JSON.stringify({ a: 1, api_key: '', Tracker_token: '', Bugzilla_login: 'l' })
    expect(
      await parameters('/rest/thing?token=&Bugzilla_api_key=&callback=x', body(content)),
    ).toEqual({ a: 1 })
  })

  test('is a login with its password in the query, so that it never replaces data of that name', async () => {
    const content = '{"login":"new@example.com","password":"for the new one"}'
    const answer = await fetchFrom(service, '/rest/thing?login=&password=', body(content))
    // the empty pair is a wrong password, and a wrong one refuses the call
    expect(await answer.json()).toMatchObject({ code: 300 })
    expect(await parameters('/rest/thing', body(content))).toEqual(JSON.parse(content))
  })

  test('is not a login alone', async () => {
    expect(await parameters('/rest/thing?login=x')).toEqual({ login: 'x' })
    expect(await parameters('/rest/thing?password=x')).toEqual({ password: 'x' })
  })
})
