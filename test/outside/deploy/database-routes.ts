import { createHash } from 'node:crypto'
import type { Hono } from 'hono'
import { type Account, envelope } from './account.ts'
import { PlatformError } from './platform-error.ts'
import { StoredDatabase } from './stored-database.ts'

/** D1 and R2 as wrangler calls them: find, create, query, and the import of a file. */
export function addDatabaseRoutes(app: Hono, account: Account): void {
  const uploads = new Map<string, string>()
  const find = (key: string) => {
    const found = account.databases.find(({ name, uuid }) => name === key || uuid === key)
    if (found === undefined) {
      throw new PlatformError(404, 7404, `Couldn't find DB with name '${key}'`)
    }
    return found
  }

  app.get('/d1/database', (c) =>
    c.json(envelope(account.databases.map(({ name, uuid }) => ({ name, uuid })))),
  )
  app.post('/d1/database', async (c) => {
    const { name } = await c.req.json()
    if (account.databases.some((database) => database.name === name)) {
      throw new PlatformError(400, 7502, `Database with name '${name}' already exists`)
    }
    const database = new StoredDatabase(name)
    account.databases.push(database)
    return c.json(envelope({ name, uuid: database.uuid }))
  })
  app.get('/d1/database/:key', (c) => {
    const { name, uuid } = find(c.req.param('key'))
    return c.json(envelope({ name, uuid }))
  })
  app.post('/d1/database/:key/query', async (c) => {
    const { sql } = await c.req.json()
    return c.json(envelope(find(c.req.param('key')).query(sql)))
  })
  app.post('/d1/database/:key/import', async (c) => {
    const { action, etag } = await c.req.json()
    if (action === 'init') {
      const upload_url = c.req.url.replace(/\/d1\/.*/, `/uploads/${etag}`)
      return c.json(envelope({ success: true, filename: etag, upload_url }))
    }
    const results = find(c.req.param('key')).query(uploads.get(etag) ?? '')
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 4096 }
    const result = { num_queries: results.length, final_bookmark: 'b', meta }
    return c.json(envelope({ success: true, status: 'complete', messages: [], result }))
  })
  app.put('/uploads/:etag', async (c) => {
    const sql = await c.req.text()
    const etag = createHash('md5').update(sql).digest('hex')
    uploads.set(etag, sql)
    return c.body(null, 200, { etag: `"${etag}"` })
  })

  app.get('/r2/buckets', (c) =>
    c.json(envelope({ buckets: account.buckets.map((name) => ({ name })) })),
  )
  app.get('/r2/buckets/:name', (c) => {
    const name = c.req.param('name')
    if (!account.buckets.includes(name)) {
      throw new PlatformError(404, 10006, 'The specified bucket does not exist.')
    }
    return c.json(envelope({ name }))
  })
  app.post('/r2/buckets', async (c) => {
    const { name } = await c.req.json()
    account.buckets.push(name)
    return c.json(envelope({ name }))
  })
}
