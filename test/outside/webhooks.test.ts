import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVisitor, expectSuccess, type Visitor } from '../support/clients/visitor.ts'
import { type RunningServer, startServer } from './running-server.ts'

/** A tracker as the README starts it, and a real HTTP server that its webhook calls. */

const KEY = 'lwAdministratorOfTheWebhooks000000000000'

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

const received: Received[] = []
let status = 200
let receiver: Server
let server: RunningServer
let admin: Visitor

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  server = await startServer({ ADMIN_API_KEY: KEY, WEBHOOK_ALLOW_PRIVATE: 'true' })
  admin = createVisitor(server.url, KEY)
})

afterAll(async () => {
  await server?.stop()
  receiver.closeAllConnections()
  receiver.close()
})

async function waitForMessages(count: number): Promise<void> {
  for (let tries = 0; tries < 300 && received.length < count; tries += 1) {
    await new Promise((wake) => setTimeout(wake, 100))
  }
  expect(received).toHaveLength(count)
}

test('a webhook hears of a bug that is filed, and after a restart once more of what failed, with the same ID', async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const body = { name: 'real', url, event: 'create,comment' }
  const { id, secret } = await expectSuccess(admin.post('/webhooks', body))
  const bug = await expectSuccess(
    admin.post('/bug', {
      ...{ product: 'TestProduct', component: 'TestComponent', version: 'unspecified' },
      ...{ summary: 'The lamp is dark', description: 'At night.' },
    }),
  )
  await waitForMessages(1)
  const verify = ({ body: text, headers }: Received) =>
    new Webhook(secret).verify(text, headers as Record<string, string>)
  expect(received.map(verify)).toMatchObject([
    { webhook_id: id, event: { routing_key: 'bug.create' }, bug: { id: bug.id } },
  ])

  status = 500
  await expectSuccess(admin.post(`/bug/${bug.id}/comment`, { comment: 'Still dark.' }))
  await waitForMessages(2)
  server = await server.restart()
  admin = createVisitor(server.url, KEY)
  status = 200
  const isDue = async () => {
    const { deliveries } = await expectSuccess(admin.get(`/webhooks/${id}/deliveries`))
    const waiting = deliveries.find((one: { status: string }) => one.status === 'queued')
    return waiting.next_attempt !== null && Date.parse(waiting.next_attempt) <= Date.now()
  }
  while (!(await isDue())) {
    await new Promise((wake) => setTimeout(wake, 200))
  }
  // the local queue forgets its messages; the next one finds everything that is due
  await expectSuccess(admin.post(`/webhooks/${id}/test`, {}))
  await waitForMessages(4)
  const ofComment = received.filter(({ body: text }) => text.includes('Still dark.'))
  expect(ofComment.map(({ headers }) => headers['webhook-id'])).toEqual([
    received[1]?.headers['webhook-id'],
    received[1]?.headers['webhook-id'],
  ])
  expect(ofComment.map(verify)).toMatchObject([
    { event: { routing_key: 'comment.create' } },
    { event: { routing_key: 'comment.create' } },
  ])
})
