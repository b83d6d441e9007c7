import { describe, expect, test } from 'vitest'
import { VERSION } from '../../../src/edges/server/version.ts'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, send } from '../../support/client.ts'
import {
  buildToolCall,
  connectClient,
  MESSAGE_HEADERS,
  NEGOTIATIONS,
  sendMessage,
  sendWrongMessage,
} from '../../support/clients/mcp.ts'
import { fetchWith } from '../../support/clients/service.ts'

const PREFIX = 'io.modelcontextprotocol'

/** What a call of `get_bug` carries in the newest revision: in its headers, and in its parameters. */
const NEWEST = {
  ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_bug' },
}
const NEWEST_META = {
  [`${PREFIX}/protocolVersion`]: '2026-07-28',
  [`${PREFIX}/clientInfo`]: { name: 'test', version: '1' },
  [`${PREFIX}/clientCapabilities`]: {},
}

const author = await insertPerson()
const id = await postBug(author, await insertProduct())

describe.each(NEGOTIATIONS)('the official client that negotiates by %j', (mode) => {
  test('lists tools, calls them, and reports errors to the model', async () => {
    const client = await connectClient(author, mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(
      mode === 'legacy' ? '2025-11-25' : '2026-07-28',
    )
    expect(client.getServerVersion()).toMatchObject({ name: 'lacewing', version: VERSION })
    expect(client.getInstructions()).toContain('bug tracker')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('search_bugs')
    const read = await client.callTool({ name: 'get_bug', arguments: { bug: String(id) } })
    expect(read.structuredContent).toMatchObject({ bug: { id, creator: author.login } })
    const refused = await client.callTool({ name: 'get_bug', arguments: { bug: '98765432' } })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: 'There is no bug with the ID 98765432. (error 101)' }],
    })
    await expect(client.callTool({ name: 'undo' })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('POST /mcp', () => {
  const call = () => buildToolCall('get_bug', { bug: String(id) })

  test('costs as many round trips as the REST API, none for what needs no caller', async () => {
    await get(author, `/rest/bug/${id}?include_fields=_default,description`)
    const rest = await get(author, `/rest/bug/${id}?include_fields=_default,description`)
    expect((await sendMessage(author, call())).cost).toMatchObject(rest.cost)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { body, headers } = await sendMessage({ key: 'wrong' }, list)
    expect(body.result.tools.length).toBeGreaterThan(12)
    expect(headers.get('server-timing')).toBeNull()
  })

  test('takes credentials from headers and query, never from arguments', async () => {
    const whoami = buildToolCall('whoami')
    const named = await send(ANYONE, 'POST', `/mcp?api_key=${author.key}`, whoami, MESSAGE_HEADERS)
    expect(named.body.result.structuredContent.id).toBe(author.id)
    const header = { 'x-bugzilla-api-key': author.key }
    const { body } = await sendMessage(ANYONE, whoami, header)
    expect(body.result.structuredContent.id).toBe(author.id)
    const inside = buildToolCall('whoami', { Bugzilla_api_key: author.key })
    expect((await sendMessage(ANYONE, inside)).body.result.isError).toBe(true)
    const wrong = await sendMessage({ key: 'wrong' }, whoami)
    expect(wrong.body.result.content[0].text).toContain('(error 306)')
  })

  test('runs a tool that writes once under the header Idempotency-Key, and says when it did before', async () => {
    const place = await insertProduct()
    const comment = buildToolCall('add_comment', { bug: String(id), comment: uniqueName('once') })
    const bug = { ...buildBugBody(place), summary: uniqueName('once') }
    const update = buildToolCall('update_bug', { bug: String(id), comment: uniqueName('once') })
    const [filing, otherFiling] = [bug, { ...bug, summary: 'x' }].map((given) =>
      buildToolCall('file_bug', given),
    )
    for (const message of [comment, filing, update]) {
      const headers = { 'idempotency-key': uniqueName('key') }
      const first = await sendMessage(author, message, headers)
      const again = await sendMessage(author, message, headers)
      expect(first.body.result.isError, first.text).toBeUndefined()
      expect(again.text).toBe(first.text)
      const isReplayed = [first, again].map((answer) => answer.headers.get('idempotent-replayed'))
      expect(isReplayed).toEqual([null, 'true'])
      expect(again.headers.get('x-tracker-warnings')).toBeNull()
    }
    const taken = { 'idempotency-key': uniqueName('key') }
    await sendMessage(author, filing, taken)
    expect((await sendMessage(author, otherFiling, taken)).text).toContain('(error 32000)')
    const wrong = await sendMessage(author, filing, { 'idempotency-key': 'x'.repeat(256) })
    expect(wrong.text).toContain('(error 53)')
  })

  test('takes the argument idempotency_key before the header', async () => {
    const given = {
      bug: String(id),
      comment: uniqueName('once'),
      idempotency_key: uniqueName('key'),
    }
    const message = buildToolCall('add_comment', given)
    const first = await sendMessage(author, message, { 'idempotency-key': uniqueName('key') })
    const again = await sendMessage(author, message, { 'idempotency-key': uniqueName('key') })
    expect(again.text).toBe(first.text)
  })

  test('gives each call of a list that shares the header a key of its own', async () => {
    const text = uniqueName('shared')
    const comment = buildToolCall('add_comment', { bug: String(id), comment: text })
    const own = { ...comment.params.arguments, idempotency_key: uniqueName('key') }
    const list = [comment, comment, buildToolCall('add_comment', own), call()]
    const headers = { 'idempotency-key': uniqueName('key') }
    const first = await sendMessage(author, list, headers)
    const again = await sendMessage(author, list, headers)
    expect(again.body.slice(0, 3)).toEqual(first.body.slice(0, 3))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-tracker-warnings')).toBe('unused parameters: Idempotency-Key')
    const { text: comments } = await get(author, `/rest/bug/${id}/comment?include_fields=raw_text`)
    expect(comments.split(text)).toHaveLength(4)
  })

  test('names the header Idempotency-Key where a tool only reads', async () => {
    const { body, headers } = await sendMessage(author, call(), { 'idempotency-key': 'k' })
    expect(body.result.structuredContent.bug.id).toBe(id)
    expect(headers.get('x-tracker-warnings')).toBe('unused parameters: Idempotency-Key')
    expect((await sendMessage(author, call())).headers.get('x-tracker-warnings')).toBeNull()
  })

  test('says when to try again, in a header, to a caller beyond a limit', async () => {
    const { key } = await insertPerson()
    const init = {
      method: 'POST',
      body: JSON.stringify(buildToolCall('whoami')),
      headers: { ...MESSAGE_HEADERS, authorization: `Bearer ${key}` },
    }
    const limits = { READS_PER_MINUTE: '1', WRITES_PER_MINUTE: '1' }
    const first = await fetchWith(limits, '/mcp', init)
    expect(first.headers.get('ratelimit-policy')).toBe('"reads";q=1;w=60')
    const refused = await fetchWith(limits, '/mcp', init)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ result: { isError: true } })
  })

  test('says what a handshake lacks, with the code for parameters', async () => {
    for (const params of [{}, undefined, { protocolVersion: '2025-06-18' }]) {
      const { body } = await sendMessage(author, {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize', params },
      })
      expect(body.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('protocolVersion'),
      })
    }
  })

  test('acknowledges a notification with 202', async () => {
    const { status, text } = await sendMessage(author, {
      ...{ jsonrpc: '2.0', method: 'notifications/initialized' },
    })
    expect([status, text]).toEqual([202, ''])
  })

  test.each([
    ['no JSON', '{', 400, -32700],
    ['a text', '"x"', 400, -32700],
    ['nested deeply', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`, 400, -32700],
    ['empty', '{}', 400, -32600],
    [
      'of very many members',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'0,'.repeat(60_000)}0]}}`,
      400,
      -32600,
    ],
    ['too large', JSON.stringify({ id: 1, method: 'x'.repeat(1_100_000) }), 413, 58],
  ])('refuses a message that is %s', async (_, text, status, code) => {
    expect(await sendWrongMessage(text)).toEqual({ status, code })
  })

  test('has no resources, no prompts and no subscriptions', async () => {
    for (const method of ['resources/list', 'prompts/list']) {
      const { body } = await sendMessage(author, { jsonrpc: '2.0', id: 1, method })
      expect(body.error.code, method).toBe(-32601)
    }
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }
    const refused = { status: 404, code: -32601 }
    expect(await sendWrongMessage(JSON.stringify(listen))).toEqual(refused)
  })

  test('serves messages of the newest revision by themselves', async () => {
    const { params, ...message } = call()
    const meta = { _meta: NEWEST_META }
    const answer = await sendMessage(author, { ...message, params: { ...params, ...meta } }, NEWEST)
    expect(answer.body.result).toMatchObject({ resultType: 'complete', structuredContent: {} })
    const unknown = JSON.stringify({ ...message, method: 'undo', params: meta })
    const headers = { ...NEWEST, 'mcp-method': 'undo' }
    expect(await sendWrongMessage(unknown, headers)).toEqual({ status: 404, code: -32601 })
    const other = JSON.stringify({ ...message, params: { ...params, ...meta } })
    const misnamed = { ...NEWEST, 'mcp-name': 'whoami' }
    expect(await sendWrongMessage(other, misnamed)).toEqual({ status: 400, code: -32020 })
    const future = JSON.stringify({
      ...{ ...message, method: 'tools/list' },
      params: { _meta: { ...NEWEST_META, [`${PREFIX}/protocolVersion`]: '2099-01-01' } },
    })
    const ahead = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' }
    expect(await sendWrongMessage(future, ahead)).toEqual({ status: 400, code: -32022 })
  })

  test.each([
    ['of a revision that does not exist', { 'mcp-protocol-version': '1999-01-01' }, 400],
    [
      'of the newest revision without what belongs to it',
      { 'mcp-protocol-version': '2026-07-28' },
      400,
    ],
    ['of an agent that accepts no JSON', { accept: 'text/event-stream' }, 406],
    ['of a form', { 'content-type': 'text/plain' }, 415],
  ])('refuses a message %s', async (_, headers, status) => {
    const answer = await sendWrongMessage(JSON.stringify(call()), headers)
    expect(answer.status).toBe(status)
  })
})

describe('a list of messages', () => {
  const call = (messageId: number, bug: string) => ({
    ...buildToolCall('get_bug', { bug }),
    id: messageId,
  })

  test('is answered message by message, notifications with nothing, in its own revision', async () => {
    const list = [
      call(1, String(id)),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, '98765432'),
      { jsonrpc: '2.0', id: 3, method: 'undo' },
      'nonsense',
    ]
    const named = { 'mcp-protocol-version': '2025-03-26' }
    for (const headers of [undefined, named]) {
      const { status, body } = await sendMessage(author, list, headers)
      expect(status).toBe(200)
      expect(body).toMatchObject([
        { id: 1, result: { structuredContent: { bug: { id } } } },
        { id: 2, result: { isError: true } },
        { id: 3, error: { code: -32601 } },
        { id: null, error: {} },
      ])
    }
    const silent = await sendMessage(author, [list[1]])
    expect([silent.status, silent.text]).toEqual([202, ''])
  })

  test('says in the note of each result what its own message names in vain', async () => {
    const read = (fields: string) => buildToolCall('get_bug', { bug: String(id), fields })
    const { body, headers } = await sendMessage(author, [read('id,nope'), read('id')])
    const notes = body.map(
      ({ result }: { result: { structuredContent: { note?: string } } }) =>
        result.structuredContent.note,
    )
    expect(notes).toEqual(["Bugs have no fields named 'nope'.", undefined])
    expect(headers.get('x-tracker-warnings')).toBe('include_fields: nope')
  })

  test('is not a message that has a member of its own called length', async () => {
    const message = JSON.stringify({ ...call(1, String(id)), length: 1 })
    expect(await sendWrongMessage(message)).toEqual({ status: 400, code: -32600 })
  })

  test('leaves each message its own credentials, limits and refusals', async () => {
    const bug = await postBug(author, await insertProduct())
    const comment = (text: string) =>
      buildToolCall('add_comment', { bug: String(bug), comment: text })
    const { body } = await sendMessage(author, [comment('One'), comment(' '), comment('Two')])
    expect(body).toMatchObject([{ result: {} }, { result: { isError: true } }, { result: {} }])
    const { body: read } = await get(author, `/rest/bug/${bug}/comment?include_fields=text`)
    expect(read.bugs[bug].comments.slice(1)).toEqual([{ text: 'One' }, { text: 'Two' }])
  })

  test.each([
    ['of another revision', [{}], { 'mcp-protocol-version': '2025-06-18' }],
    ['that is empty', [], {}],
    ['of more than twenty messages', Array.from({ length: 21 }, () => ({})), {}],
  ])('%s is refused', async (_, list, headers) => {
    const answer = await sendWrongMessage(JSON.stringify(list), headers)
    expect(answer).toEqual({ status: 400, code: -32600 })
  })

  test('holds no handshake and no file in base64', async () => {
    const file = { bug: String(id), file_name: 'a', summary: 'b', data: 'AAAA' }
    const list = [
      { jsonrpc: '2.0', id: 1, method: 'initialize' },
      buildToolCall('attach_file', file),
    ]
    const { body } = await sendMessage(author, list)
    expect(body).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }])
  })
})

describe('/mcp', () => {
  test.each(['GET', 'DELETE', 'PUT'])('answers %s with 405', async (method) => {
    const { status, headers } = await send(author, method, '/mcp')
    expect([status, headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
  })

  test.each([
    ['https://elsewhere.test', {}, 403],
    ['https://tracker.test', {}, 403],
    ['null', { BASE_URL: 'https://tracker.test' }, 403],
    ['http://tracker.test', { BASE_URL: 'https://tracker.test' }, 403],
    ['https://tracker.test', { BASE_URL: 'https://tracker.test' }, 200],
    ['https://tracker.test', { BASE_URL: 'https://tracker.test/base' }, 200],
  ])(
    'is for scripts of its own site alone: %s with %j gets %d',
    async (origin, settings, status) => {
      const answer = await fetchWith({ BASE_URL: '', ...settings }, '/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        headers: {
          ...{ origin, 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
        },
      })
      expect(answer.status).toBe(status)
    },
  )
})
