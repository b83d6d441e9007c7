import type { Hono } from 'hono'
import { type Account, envelope } from './account.ts'
import { PlatformError } from './platform-error.ts'

/** Queues as wrangler calls them: find, create, and the settings of the consumer. */
export function addQueueRoutes(app: Hono, account: Account): void {
  const requireQueue = (wanted: string) => {
    const queue = account.queues.find(({ name }) => idOf(name) === wanted)
    if (queue === undefined) {
      throw new PlatformError(404, 11000, 'This queue does not exist')
    }
    return queue
  }

  app.get('/queues', (c) => {
    const wanted = c.req.query('name')
    const found = account.queues.filter(({ name }) => wanted === undefined || name === wanted)
    return c.json(envelope(found.map(presentQueue)))
  })
  app.post('/queues', async (c) => {
    const { queue_name: name } = await c.req.json()
    if (account.queues.some((queue) => queue.name === name)) {
      throw new PlatformError(400, 11009, `Queue name '${name}' is already taken.`)
    }
    const queue = { name, consumers: [] }
    account.queues.push(queue)
    return c.json(envelope(presentQueue(queue)))
  })
  app.post('/queues/:id/consumers', async (c) => {
    const { consumers } = requireQueue(c.req.param('id'))
    if (consumers.length > 0) {
      throw new PlatformError(400, 11004, 'Queue already has a consumer')
    }
    const { script_name: script, ...settings } = await c.req.json()
    consumers.push({ ...settings, script, consumer_id: crypto.randomUUID() })
    return c.json(envelope(consumers[0]))
  })
  app.put('/queues/:id/consumers/:consumer', async (c) => {
    const { consumers } = requireQueue(c.req.param('id'))
    const { script_name: script, ...settings } = await c.req.json()
    consumers[0] = { ...settings, script, consumer_id: c.req.param('consumer') }
    return c.json(envelope(consumers[0]))
  })
}

function idOf(name: string): string {
  return `id-of-${name}`
}

function presentQueue({ name, consumers }: Account['queues'][number]) {
  return { queue_id: idOf(name), queue_name: name, consumers, producers: [] }
}
