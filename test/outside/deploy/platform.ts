import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { type Account, envelope } from './account.ts'
import { addAssetRoutes } from './asset-routes.ts'
import { addDatabaseRoutes } from './database-routes.ts'
import { PlatformError } from './platform-error.ts'
import { addQueueRoutes } from './queue-routes.ts'
import { addWorkerRoutes } from './worker-routes.ts'

export type Platform = {
  url: string
  /** For the files of wrangler. */
  folder: string
  account: Account
  /**
   * The requests since the last call of this, a line for each: method, path, and what the body is about. The
   * databases and queues have their names in place of their IDs.
   */
  takeCalls(): string[]
  /** Refuses the next request whose line contains this, once, before it has an effect. */
  failNext(line: string): void
  stop(): Promise<void>
}

const ACCOUNT_ID = 'a'.repeat(32)
export const TOKEN = 'a-token-of-the-operator'

/** The environment in which wrangler deploys there, and keeps nothing of it elsewhere. */
export function platformEnvironment({ url, folder }: Platform): Record<string, string> {
  return {
    CLOUDFLARE_API_BASE_URL: url,
    CLOUDFLARE_API_TOKEN: TOKEN,
    WRANGLER_CACHE_DIR: folder,
    WRANGLER_LOG_PATH: folder,
    HOME: folder,
  }
}

/** Imitates the part of the platform's API that a deployment calls, with one empty account. */
export async function startPlatform(): Promise<Platform> {
  const account: Account = {
    databases: [],
    buckets: [],
    queues: [],
    worker: null,
    assets: new Map(),
  }
  let calls: string[] = []
  let failing: string | null = null

  const app = new Hono()
  app.use(async (c, next) => {
    const path = c.req.path.replace(`/accounts/${ACCOUNT_ID}`, '')
    const line = nameResources(account, `${c.req.method} ${path} ${await describeBody(c)}`.trim())
    calls.push(line)
    const isSigned = path.startsWith('/uploads/') || path === '/workers/assets/upload'
    if (c.req.header('authorization') !== `Bearer ${TOKEN}` && !isSigned) {
      throw new PlatformError(401, 10000, 'Authentication error')
    }
    if (failing !== null && line.includes(failing)) {
      failing = null
      throw new PlatformError(400, 10013, 'The platform has a bad day')
    }
    await next()
  })
  app.get('/accounts', (c) => c.json(envelope([{ id: ACCOUNT_ID, name: 'Operator' }])))
  app.get('/memberships', (c) =>
    c.json(envelope([{ id: 'm', account: { id: ACCOUNT_ID, name: 'Operator' } }])),
  )
  const inAccount = new Hono()
  addDatabaseRoutes(inAccount, account)
  addQueueRoutes(inAccount, account)
  addWorkerRoutes(inAccount, account)
  addAssetRoutes(inAccount, account)
  app.route(`/accounts/${ACCOUNT_ID}`, inAccount)
  app.notFound((c) => c.json(envelope(null, 10404, `not imitated: ${c.req.path}`), 404))
  app.onError((error, c) => {
    const { status, code } =
      error instanceof PlatformError ? error : { status: 500 as const, code: 1 }
    return c.json(envelope(null, code, error.message), status)
  })

  const server = createServer((request, response) => {
    void answer(app, request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-platform-'))
  return {
    folder,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    account,
    takeCalls() {
      const taken = calls
      calls = []
      return taken
    },
    failNext(line) {
      failing = line
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
        rmSync(folder, { recursive: true, force: true })
      }),
  }
}

/** The name in a body, or for SQL the migration or the beginning of the statement. */
async function describeBody(c: Context): Promise<string> {
  const text = c.req.header('content-type')?.startsWith('multipart/') ? '' : await c.req.text()
  if (!text.startsWith('{')) {
    return ''
  }
  const { name, queue_name, sql, action } = JSON.parse(text)
  const [, migration] = /INSERT INTO "?d1_migrations"?[^;]*'(.*\.sql)'/.exec(sql ?? '') ?? []
  const statement = sql?.trim().split(/\s+/).slice(0, 6).join(' ')
  return name ?? queue_name ?? action ?? migration ?? statement ?? ''
}

function nameResources({ databases, queues }: Account, line: string): string {
  let named = line
  for (const { uuid, name } of databases) {
    named = named.replace(uuid, name)
  }
  for (const { consumers } of queues) {
    named = named.replace(`/${consumers[0]?.consumer_id}`, '/its-own')
  }
  return named.replace('/id-of-', '/').replace(/(\/uploads\/).*/, '$1the-file')
}

/** Hands a request of the local server to the app, and its answer back. */
async function answer(
  app: Hono,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk)
  }
  const { method = 'GET', headers, url } = request
  const answered = await app.fetch(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    }),
  )
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  response.end(await answered.text())
}
