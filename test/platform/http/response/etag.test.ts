import { describe, expect, test } from 'vitest'
import { createService } from '../../../../src/app.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

const service = createService([
  buildProbe({ path: '/same' }, async (_, { text = 'x' }) => ({ text })),
  buildProbe({ path: '/same', method: 'POST' }, async () => ({ text: 'x' })),
  buildProbe({ path: '/token' }, async () => ({ a: 1, update_token: crypto.randomUUID() })),
  buildProbe({ path: '/long' }, async () => ({ text: 'x'.repeat(3_900_000) })),
  buildProbe({ path: '/longer' }, async () => ({ text: 'x'.repeat(4_100_000) })),
  buildProbe({ path: '/streamed' }, async () => new Response('{}')),
])

async function fetchTag(path: string, method = 'GET'): Promise<string | null> {
  return (await fetchFrom(service, path, { method })).headers.get('etag')
}

function fetchIfNoneMatch(path: string, tags: string, method = 'GET'): Promise<Response> {
  return fetchFrom(service, path, { method, headers: { 'if-none-match': tags } })
}

describe('the ETag', () => {
  test('is weak, and the same for the same answer', async () => {
    const tag = await fetchTag('/rest/same')
    expect(tag).toMatch(/^W\/"[A-Za-z0-9+/]{20,}"$/)
    expect(await fetchTag('/rest/same')).toBe(tag)
    expect(await fetchTag('/rest/same', 'HEAD')).toBe(tag)
    expect(await fetchTag('/rest/same?text=y')).not.toBe(tag)
  })

  test('does not depend on an update token', async () => {
    expect(await fetchTag('/rest/token')).toBe(await fetchTag('/rest/token'))
  })

  test('is set on answers up to four megabytes', async () => {
    expect(await fetchTag('/rest/long')).toMatch(/^W/)
    expect(await fetchTag('/rest/longer')).toBeNull()
  })

  test('is not set on writes, errors, preflights and streamed answers', async () => {
    expect(await fetchTag('/rest/same', 'POST')).toBeNull()
    expect(await fetchTag('/rest/nowhere')).toBeNull()
    expect(await fetchTag('/rest/same', 'OPTIONS')).toBeNull()
    expect(await fetchTag('/rest/streamed')).toBeNull()
  })
})

describe('If-None-Match with the tag of the answer', () => {
  test('gets 304 with the tag, the common headers and no body', async () => {
    const tag = (await fetchTag('/rest/same')) ?? ''
    const answer = await fetchIfNoneMatch('/rest/same', tag)
    expect(answer.status).toBe(304)
    expect(await answer.text()).toBe('')
    expect(answer.headers.get('etag')).toBe(tag)
    expect(answer.headers.get('content-type')).toBeNull()
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('vary')).toBe('Accept')
  })

  test('gets 304 for HEAD too', async () => {
    expect((await fetchIfNoneMatch('/rest/same', '*', 'HEAD')).status).toBe(304)
  })

  test('may list several tags, weak or strong, with or without quotes', async () => {
    const weak = (await fetchTag('/rest/same')) ?? ''
    const quoted = weak.replace('W/', '')
    const bare = quoted.replaceAll('"', '')
    for (const tags of [weak, quoted, bare, `"other", ${weak}`, `"other" ${bare}`, '*']) {
      expect((await fetchIfNoneMatch('/rest/same', tags)).status, tags).toBe(304)
    }
  })
})

describe('If-None-Match with another tag', () => {
  test.each(['"other"', 'W/"x"', '', '""', ','])('%j gets the whole answer', async (tags) => {
    const answer = await fetchIfNoneMatch('/rest/same', tags)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ text: 'x' })
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('does not prevent a write', async () => {
    expect((await fetchIfNoneMatch('/rest/same', '*', 'POST')).status).toBe(200)
  })
})
