import { describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get, send } from '../../../support/client.ts'
import { readResult } from '../../../support/clients/rpc.ts'

const author = await insertPerson()
const id = await postBug(author, await insertProduct())

const postCall = async (body: unknown) => (await send(ANYONE, 'POST', '/jsonrpc.cgi', body)).body

describe('POST /jsonrpc.cgi', () => {
  test('answers the body of the REST API in the form of the version', async () => {
    const rest = await get(ANYONE, `/rest/bug/${id}`)
    const params = { ids: [id] }
    expect(await postCall({ method: 'Bug.get', params: [params], id: 1 })).toEqual({
      ...{ result: rest.body, error: null, id: 1 },
    })
    expect(await postCall({ jsonrpc: '2.0', method: 'Bug.get', params, id: 'a' })).toEqual({
      ...{ jsonrpc: '2.0', result: rest.body, id: 'a' },
    })
  })

  test('keeps the version and the ID of a call that it refuses', async () => {
    const missing = { jsonrpc: '2.0', id: 5, method: 'Bug.get', params: { ids: [98_765_432] } }
    expect(await postCall(missing)).toMatchObject({ jsonrpc: '2.0', id: 5, error: { code: 101 } })
    const unknown = { version: '1.1', id: 6, method: 'Bug.nothing' }
    expect(await postCall(unknown)).toMatchObject({
      version: '1.1',
      id: 6,
      error: { code: -32601 },
    })
    expect(await postCall({ id: 7 })).toMatchObject({ id: 7, error: { code: -32600 } })
    expect(await postCall('{')).toMatchObject({ result: null, id: null, error: { code: -32700 } })
  })

  test('decodes the bytes of an attachment wherever the parameters stand', async () => {
    const file = {
      ids: [id],
      data: btoa('hello'),
      file_name: 'a',
      summary: 'b',
      content_type: 'text/plain',
    }
    for (const params of [file, [file]]) {
      const call = { method: 'Bug.add_attachment', params, id: 1 }
      const { body } = await send(author, 'POST', '/jsonrpc.cgi', call)
      const [attachmentId] = body.result.ids
      expect((await get(ANYONE, `/attachment/${attachmentId}`)).text).toBe('hello')
      const read = await readResult(ANYONE, 'Bug.attachments', { attachment_ids: [attachmentId] })
      expect(read.attachments[attachmentId].data).toBe(btoa('hello'))
    }
  })

  test('refuses a body that is too large with 58', async () => {
    const call = { method: 'Bug.create', params: [{ description: 'x'.repeat(10_000_000) }], id: 1 }
    expect((await postCall(call)).error.code).toBe(58)
  })
})

describe('GET /jsonrpc.cgi', () => {
  const params = () => encodeURIComponent(JSON.stringify([{ ids: [id], include_fields: ['id'] }]))

  test('runs operations that only read', async () => {
    const { body } = await get(ANYONE, `/jsonrpc.cgi?method=Bug.get&params=${params()}&id=z`)
    expect(body).toEqual({
      ...{ version: '1.1', result: { bugs: [{ id }], faults: [] } },
      error: null,
      id: 'z',
    })
  })

  test('calls back whenever it is asked to, also with a fault', async () => {
    const path = `/jsonrpc.cgi?method=Bug.get&params=${params()}&callback=show`
    const { text, headers } = await get(ANYONE, path, { accept: '*/*' })
    expect(headers.get('content-type')).toBe('application/javascript')
    expect(text).toMatch(/^\/\*\*\/show\(\{"version":"1.1"/)
    const unknown = await get(ANYONE, '/jsonrpc.cgi?method=x&callback=show')
    expect(unknown.text).toContain('-32601')
    expect((await get(ANYONE, '/jsonrpc.cgi?method=x&callback=a(b')).body.code).toBe(32611)
  })

  test.each(['Bug.create', 'Bug.update', 'User.login', 'User.logout'])(
    'refuses %s with -32600, because a link must not change anything',
    async (method) => {
      const { body } = await get(author, `/jsonrpc.cgi?method=${method}&params=[{"ids":[1]}]`)
      expect(body.error.code).toBe(-32600)
    },
  )

  test('names what of its query means nothing, as POST does', async () => {
    const query = `Bugzilla_api_key=${author.key}&limit=1`
    const path = `/jsonrpc.cgi?method=Bug.get&params=${params()}&id=z&${query}`
    const { headers } = await get(ANYONE, path)
    expect(headers.get('x-tracker-warnings')).toBe('unused parameters: limit')
    const call = { method: 'User.whoami', parms: [{}], params: [{ y: 1 }], id: 1 }
    const posted = await send(ANYONE, 'POST', `/jsonrpc.cgi?method=m&${query}`, call)
    expect(posted.headers.get('x-tracker-warnings')).toBe(
      'unused parameters: parms, method, limit, y',
    )
  })

  test('takes credentials in the query', async () => {
    const path = `/jsonrpc.cgi?method=User.whoami&Bugzilla_api_key=${author.key}`
    expect((await get(ANYONE, path)).body.result.id).toBe(author.id)
  })
})
