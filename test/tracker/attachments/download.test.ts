import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { updateAttachment } from '../../support/clients/attachments.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'
import { breakBucket } from '../../support/fakes/bucket.ts'

const LINK = 'https://github.com/owner/repo/pull/17'

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
const bug = await postBug(author, await insertProduct())
const digits = await postAttachment(author, bug, { data: btoa('0123456789') })

const load = (id: number, who: Sender = ANYONE, headers: Record<string, string> = {}, query = '') =>
  get(who, `/attachment/${id}${query}`, headers)

describe('GET /attachment.cgi', () => {
  test('serves bytes, type and name in one round trip, to anonymous callers too', async () => {
    const answer = await load(digits)
    expect(answer).toMatchObject({ status: 200, text: '0123456789', cost: { trips: 1 } })
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(answer.headers.get('content-length')).toBe('10')
    expect(answer.headers.get('content-disposition')).toBe(
      `inline; filename="file.txt"; filename*=UTF-8''file.txt`,
    )
  })

  test('accepts credentials in the header or the query', async () => {
    const secret = await postAttachment(insider, bug, { is_private: true })
    expect((await load(secret, insider)).text).toBe('hi')
    expect((await load(secret, ANYONE, {}, `?api_key=${insider.key}`)).text).toBe('hi')
    expectFault(await load(secret, { key: 'nonsense' }), 400, 306)
  })

  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
    ['bytes=-100', '0123456789', 'bytes 0-9/10'],
  ])('answers the part %s', async (range, text, contentRange) => {
    const answer = await load(digits, ANYONE, { range })
    expect(answer).toMatchObject({ status: 206, text })
    expect(answer.headers.get('content-range')).toBe(contentRange)
    expect(answer.headers.get('content-length')).toBe(String(text.length))
  })

  test.each(['bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=0-1'])(
    'answers all of it for the range %s',
    async (range) => {
      expect(await load(digits, ANYONE, { range })).toMatchObject({
        status: 200,
        text: '0123456789',
      })
    },
  )

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999-'])(
    'answers 416 with the size for the range %s beyond the end',
    async (range) => {
      const answer = await load(digits, ANYONE, { range })
      expect(answer).toMatchObject({ status: 416, text: '' })
      expect(answer.headers.get('content-range')).toBe('bytes */10')
      expect(answer.headers.get('etag')).toBeNull()
    },
  )

  test('serves HEAD without reading the bytes', async () => {
    const init = { method: 'HEAD', headers: { range: 'bytes=0-3' } }
    const answer = await fetchWith(breakBucket('get'), `/attachment/${digits}`, init)
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('content-length')).toBe('10')
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/)
  })

  test('answers 304 for a matching etag, and the whole attachment for a part of another version', async () => {
    const tag = (await load(digits)).headers.get('etag') ?? ''
    expect(await load(digits, ANYONE, { 'if-none-match': tag })).toMatchObject({
      status: 304,
      text: '',
    })
    const range = 'bytes=0-1'
    expect((await load(digits, ANYONE, { range, 'if-range': tag })).status).toBe(206)
    expect((await load(digits, ANYONE, { range, 'if-range': '"other"' })).status).toBe(200)
  })
})

describe('active content is kept from acting:', () => {
  const guards = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'private, no-store',
    'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
    'cross-origin-resource-policy': 'same-origin',
  }

  test.each([
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/xhtml+xml', 'attachment'],
    ['text/xml', 'attachment'],
    ['application/octet-stream', 'attachment'],
    ['image/png', 'inline'],
    ['text/plain; charset=utf-8', 'inline'],
    ['application/pdf', 'attachment'],
  ])('%s is served as %s', async (type, how) => {
    const data = btoa('<script>alert(1)</script>')
    const id = await postAttachment(author, bug, { data, content_type: type })
    const { headers } = await load(id)
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${how}; `))
    expect(headers.get('content-type')).toBe(type)
    expect(Object.fromEntries(headers)).toMatchObject(guards)
  })

  test('as nothing that a page can run, when it is a script', async () => {
    const id = await postAttachment(author, bug, { content_type: 'text/javascript' })
    for (const query of ['', '?content_type=application/javascript']) {
      const { headers } = await load(id, ANYONE, {}, query)
      expect(headers.get('content-type')).toBe('application/octet-stream')
      expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    }
  })

  test('under a type that the reader names too', async () => {
    const id = await postAttachment(author, bug, { data: btoa('<b>') })
    const { headers } = await load(id, ANYONE, {}, '?content_type=text/html')
    expect(headers.get('content-type')).toBe('text/html')
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    expectFault(await load(id, ANYONE, {}, '?content_type=x/y%0d%0aSet-Cookie:1'), 400, 601)
  })

  test.each([
    ['a"b.html', `filename="a_b.html"; filename*=UTF-8''a%22b.html`],
    ["x'y(z)*.txt", `filename="x'y(z)*.txt"; filename*=UTF-8''x%27y%28z%29%2A.txt`],
    ['a\r\nSet-Cookie: x', `filename="a Set-Cookie: x"; filename*=UTF-8''a%20Set-Cookie%3A%20x`],
    ['ü😀.txt', `filename="___.txt"; filename*=UTF-8''%C3%BC%F0%9F%98%80.txt`],
    ['\u202etxt.exe', `filename="txt.exe"; filename*=UTF-8''txt.exe`],
    ['\u202e', `filename="attachment"; filename*=UTF-8''attachment`],
    ['%22;x=y', `filename="_22_x=y"; filename*=UTF-8''%2522%3Bx%3Dy`],
  ])('the file name %j cannot break out of its header parameter', async (name, parameters) => {
    const id = await postAttachment(author, bug, { file_name: name })
    expect((await load(id)).headers.get('content-disposition')).toBe(`inline; ${parameters}`)
  })

  test('a name with half a character is served', async () => {
    const id = await postAttachment(author, bug)
    await execute(sql`UPDATE attachments SET file_name = ${'a\ud800.txt'} WHERE id = ${id}`)
    expect((await load(id)).status).toBe(200)
  })
})

describe('a link attachment', () => {
  test('leads to its code host', async () => {
    const id = await postAttachment(author, bug, { data: btoa(`${LINK}\n`) })
    const answer = await load(id)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe(LINK)
    const bytes = await load(id, ANYONE, {}, '?content_type=text/plain')
    expect(bytes).toMatchObject({ status: 200, text: `${LINK}\n` })
  })

  test('leads nowhere when its host is no longer allowed, or its type is another', async () => {
    const id = await postAttachment(author, bug, { data: btoa(LINK) })
    const answer = await fetchWith({ LINK_HOSTS: 'git.example.test' }, `/attachment/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(await answer.text()).toBe(LINK)
    await updateAttachment(author, id, { content_type: 'text/plain' })
    expect(await load(id)).toMatchObject({ status: 200, text: LINK })
  })

  test.each(['https://evil.test/a/b/pull/1', 'javascript:alert(1)', '//github.com/a/b/pull/1'])(
    'to %s is served as bytes for saving',
    async (address) => {
      const more = { data: btoa(address), content_type: 'text/x-github-pull-request' }
      const id = await postAttachment(author, bug, more)
      const answer = await load(id)
      expect(answer).toMatchObject({ status: 200, text: address })
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /)
    },
  )
})

describe('GET /attachment.cgi', () => {
  test('rejects a value that is no ID, and what does not exist', async () => {
    expectFault(await get(ANYONE, '/attachment/x'), 400, 52)
    expectFault(await get(ANYONE, '/attachment/999999999'), 400, 32000, '999999999')
  })

  test('rejects anonymous callers where a login is demanded', async () => {
    const answer = await fetchWith({ REQUIRE_LOGIN: 'on' }, `/attachment/${digits}`)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ code: 410 })
  })
})

describe('GET /attachment.cgi', () => {
  test('hides private attachments', async () => {
    const secret = await postAttachment(insider, bug, { is_private: true })
    expectFault(await load(secret), 401, 304)
    expectFault(await load(secret, author), 401, 304)
  })

  test('hides attachments of hidden bugs, links too', async () => {
    const hidden = await postBug(author, await insertProduct())
    const id = await postAttachment(author, hidden, { data: btoa(LINK) })
    await restrictBug(hidden, await insertGroup())
    const answer = await load(id)
    expectFault(answer, 401, 102)
    expect(answer.headers.get('location')).toBeNull()
  })
})
