import { Hono, type MiddlewareHandler } from 'hono'
import type { Operation } from '../../platform/http/operations/operation.ts'
import { indexOperations } from '../../platform/http/operations/operations-by-name.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { responseHeaders } from '../../platform/http/response/response-headers.ts'
import { readSettings } from '../../platform/settings/settings.ts'

const PATH = '/mcp'
const METHODS = 'OPTIONS, POST'

/** Hosts that no name server leads to another computer. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * The endpoint of the Model Context Protocol, over the operations of the REST API. What serves a message is loaded
 * with the first one.
 */
export function mcpRoutes(operations: readonly Operation[]): Hono<AppEnv> {
  const byName = indexOperations(operations)
  const routes = new Hono<AppEnv>()
  routes.use(PATH, responseHeaders)
  routes.post(PATH, refuseOtherOrigins, async (c) => {
    const { serveMessage } = await import('./serve.ts')
    return serveMessage(c, byName)
  })
  routes.options(PATH, (c) => c.body(null, 204, { allow: METHODS }))
  routes.all(PATH, (c) => c.body(null, 405, { allow: METHODS }))
  return routes
}

/**
 * Refuses scripts of other sites, as the protocol demands. The host of a request proves nothing without BASE_URL: a
 * site may give its own name to the address of a local server.
 */
const refuseOtherOrigins: MiddlewareHandler<AppEnv> = async (c, next) => {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== ownOrigin(readSettings(c.env).BASE_URL, c.req.url)) {
    const error = { code: -32600, message: 'Scripts of other sites may not call tools.' }
    return c.json({ jsonrpc: '2.0', error, id: null }, 403)
  }
  return next()
}

function ownOrigin(base: string, requestUrl: string): string | null {
  const { origin, hostname } = new URL(base === '' ? requestUrl : base)
  return base !== '' || LOOPBACK.includes(hostname) ? origin : null
}
