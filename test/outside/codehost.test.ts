import { sign } from '@octokit/webhooks-methods'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPush } from '../support/builders/codehost-events.ts'
import { createVisitor, expectSuccess, type Visitor } from '../support/clients/visitor.ts'
import { waitFor } from './mailing-tracker.ts'
import { type RunningServer, startServer } from './running-server.ts'

/** A tracker as the README starts it, and a push as the code host sends it, signed by its own library. */

const KEY = 'lwAdministratorOfTheCodeHost000000000000'

let server: RunningServer
let admin: Visitor

beforeAll(async () => {
  server = await startServer({ ADMIN_API_KEY: KEY })
  admin = createVisitor(server.url, KEY)
})

afterAll(() => server?.stop())

async function sendPush(key: string, delivery: string, payload: object, signature?: string) {
  const body = JSON.stringify(payload)
  const response = await fetch(`${server.url}/rest/github/push_comment`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': 'push',
      'x-github-delivery': delivery,
      'x-github-hook-id': '30',
      'x-hub-signature-256': signature ?? (await sign(key, body)),
    },
    body,
  })
  const answer = (await response.json()) as {
    error: number
    bugs?: Record<number, { text: string }[]>
  }
  return { status: response.status, body: answer }
}

const loadComments = async (id: number): Promise<{ text: string }[]> =>
  (await expectSuccess(admin.get(`/bug/${id}/comment`))).bugs[id].comments

test('a push comments on a bug and resolves it once, though it is sent again after a restart', async () => {
  const { name } = await expectSuccess(admin.get('/whoami'))
  await expectSuccess(
    admin.put(`/user/${encodeURIComponent(name)}`, { groups: { add: ['codehost-webhook-bot'] } }),
  )
  const { api_key: key } = await expectSuccess(admin.post('/api_key', { description: 'hook' }))
  const { id } = await expectSuccess(
    admin.post('/bug', {
      ...{ product: 'TestProduct', component: 'TestComponent', version: 'unspecified' },
      ...{ summary: 'The lamp is dark', description: 'At night.' },
    }),
  )
  const payload = buildPush([{ message: `Bug ${id} - Light the lamp\n\nAt last.` }])
  const refused = await sendPush(key, 'd0', payload, await sign('the key of another', 'body'))
  expect(refused).toMatchObject({ status: 400, body: { error: 1 } })

  const answer = await sendPush(key, 'd1', payload)
  expect(answer).toMatchObject({ status: 200, body: { error: 0 } })
  const text = answer.body.bugs?.[id]?.[0]?.text
  expect(text).toContain(`Bug ${id} - Light the lamp`)
  await waitFor(async () => (await loadComments(id)).length >= 2, 'the comment of the push')

  server = await server.restart()
  admin = createVisitor(server.url, KEY)
  for (const delivery of ['d1', 'd2']) {
    expect(await sendPush(key, delivery, payload)).toEqual(answer)
  }
  // what the repetitions might have queued would be applied together with this one
  const other = await sendPush(key, 'd3', buildPush([{ message: `Bug ${id} - Dust it` }]))
  const dusted = other.body.bugs?.[id]?.[0]?.text
  await waitFor(async () => (await loadComments(id)).length >= 3, 'the comment of the push')
  expect((await loadComments(id)).map((comment) => comment.text)).toEqual([
    'At night.',
    text,
    dusted,
  ])
  const { bugs } = await expectSuccess(admin.get(`/bug/${id}`))
  expect(bugs[0]).toMatchObject({ status: 'RESOLVED', resolution: 'FIXED' })
})
