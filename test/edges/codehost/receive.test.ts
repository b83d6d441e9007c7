import { describe, expect, test } from 'vitest'
import { insertBug } from '../../support/builders/bugs.ts'
import { buildPullRequest, buildPush, ping } from '../../support/builders/codehost-events.ts'
import { fetchWith, streamPieces } from '../../support/clients/service.ts'
import { insertBot, sendEvent, signEvent } from '../../support/codehost.ts'
import { loadFootprint } from '../../support/database/footprint.ts'

const ENDPOINTS = [
  ['push_comment', 'push'],
  ['pull_request', 'pull_request'],
] as const

const bot = await insertBot()
const bugId = (await insertBug()).id

describe.each(ENDPOINTS)('%s', (endpoint, event) => {
  const send = (payload: unknown, more: Parameters<typeof sendEvent>[3] = {}) =>
    sendEvent(bot, endpoint, payload, { event, ...more })

  test('accepts a ping of a bot with any body', async () => {
    for (const payload of [ping, ' ', 'no JSON', '[]']) {
      const answer = await send(payload, { event: 'ping' })
      expect(answer).toMatchObject({ status: 200, body: { error: 0 }, trips: 1 })
      expect(Object.keys(answer.body)).toEqual(['error'])
    }
  })

  test.each(['codehost', 'github', 'forge'])('is served below /rest/%s', async (segment) => {
    const answer = await send(ping, {
      event: 'ping',
      segment,
      bindings: { CODEHOST_SEGMENT: 'forge' },
    })
    expect(answer.status).toBe(200)
  })

  test('is served nowhere else', async () => {
    const response = await fetchWith({}, `/rest/forge/${endpoint}`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: true, code: 32614 })
  })

  test('takes the neutral headers before those of GitHub', async () => {
    const signature = await signEvent(bot.key, JSON.stringify(ping))
    const answers = await Promise.all([
      send(ping, { event: 'nonsense', headers: { 'x-codehost-event': 'ping' } }),
      send(ping, { event: 'ping', headers: { 'x-codehost-event': 'issues' } }),
      send(ping, {
        event: 'ping',
        signature: null,
        headers: { 'x-codehost-signature-256': signature },
      }),
      send(ping, {
        event: 'ping',
        signature: null,
        headers: { 'x-codehost-signature': signature },
      }),
      send(ping, { event: 'ping', headers: { 'x-codehost-signature': 'sha256=wrong' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 400])
  })

  test('checks the site, the event, the signature, the JSON, the form, in this order', async () => {
    const before = await loadFootprint()
    const off = { CODEHOST_EVENTS: 'off' }
    const steps: [string, unknown, Parameters<typeof sendEvent>[3]][] = [
      ['not enabled', '{', { bindings: off, event: 'issues', signature: null }],
      ['takes the event', '{', { event: 'issues', signature: null }],
      ['takes the event', '', { event: '', signature: null }],
      ['signature', '{', { signature: null }],
      ['signature', ping, { event: 'ping', signature: null }],
      ['not valid JSON', '{', {}],
      ['must be a JSON object', '[]', {}],
      ['cannot be used', ' ', {}],
      ['cannot be used', {}, {}],
    ]
    for (const [message, payload, more] of steps) {
      const answer = await send(payload, more)
      expect(answer).toMatchObject({ status: 400, body: { error: 1, code: 32000 } })
      expect(answer.body.message).toContain(message)
    }
    expect(await loadFootprint()).toEqual(before)
  })

  test('names the content type to choose for a webhook that sends forms', async () => {
    const { status, body } = await send(`payload=${encodeURIComponent('{"ref":"main"}')}`)
    expect(status).toBe(400)
    expect(body.message).toContain('content type application/json')
  })

  test('names the malformed part', async () => {
    const { body } = await send({ commits: [{ message: '' }], pull_request: { number: 'x' } })
    const expected =
      endpoint === 'push_comment'
        ? ['ref', 'repository', 'commits.0.message', 'commits.0.url', 'commits.0.author']
        : ['pull_request.html_url', 'pull_request.title', 'pull_request.number']
    for (const path of expected) {
      expect(body.message).toContain(path)
    }
  })

  test('refuses a body over 25 MB with 413 in its own form of errors', async () => {
    const size = 25 * 1024 * 1024 + 1
    const headers = { 'x-github-event': event, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    const bodies = [
      new Uint8Array(size),
      streamPieces(Array.from({ length: 26 }, () => new Uint8Array(1024 * 1024))),
    ]
    for (const body of bodies) {
      const init = { method: 'POST', headers, body }
      const response = await fetchWith({}, `/rest/github/${endpoint}`, init)
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: 1, code: 58 })
    }
  })

  test('reports an unforeseen failure as an error object of code hosts', async () => {
    const DB = { withSession: () => ({ prepare: () => ({ bind: () => ({}) }) }) }
    const answer = await send(ping, { event: 'ping', bindings: { DB } })
    expect(answer).toMatchObject({ status: 500, body: { error: 1, code: -32000 } })
  })

  test('ignores credentials, and parameters of the query that the signature does not cover', async () => {
    const query = '?api_key=nonsense&action=closed&commits=x&ref=refs%2Ftags%2Fx'
    const payload =
      endpoint === 'push_comment' ? buildPush([`bug ${bugId}`]) : buildPullRequest(`bug ${bugId}`)
    const answer = await send(payload, { query, headers: { 'x-tracker-api-key': 'nonsense' } })
    expect(answer).toMatchObject({ status: 200, body: { error: 0 } })
  })
})

test('a signed body of 25 MB with non-Latin text is used', async () => {
  const push = buildPush([`Bug ${bugId} – long`])
  const room = 25 * 1024 * 1024 - JSON.stringify(push).length - 100
  const [commit] = push.commits
  const modified = Array.from({ length: Math.floor(room / 103) }, () => 'x'.repeat(100))
  const answer = await sendEvent(bot, 'push_comment', {
    ...push,
    commits: [{ ...commit, modified }],
  })
  expect(answer.status).toBe(200)
  expect(answer.body.bugs[bugId][0].text).toContain(`Bug ${bugId} – long`)
})
