import { Hono } from 'hono'
import type { Operation } from '../../platform/http/operations/operation.ts'
import { indexOperations } from '../../platform/http/operations/operations-by-name.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { jsonp } from '../../platform/http/response/jsonp.ts'
import { responseHeaders } from '../../platform/http/response/response-headers.ts'

const METHODS = { '/xmlrpc.cgi': 'OPTIONS, POST', '/jsonrpc.cgi': 'GET, OPTIONS, POST' } as const

/**
 * The routes of XML-RPC and JSON-RPC, over the operations of the REST API. What serves a call is loaded with the
 * first one, because most isolates never get one.
 */
export function rpcRoutes(operations: readonly Operation[]): Hono<AppEnv> {
  const byName = indexOperations(operations)
  const routes = new Hono<AppEnv>()
  routes.use('/xmlrpc.cgi', responseHeaders)
  routes.use('/jsonrpc.cgi', responseHeaders, jsonp(isGet))
  routes.post('/xmlrpc.cgi', async (c) => {
    const { serveXmlCall } = await import('./xml/serve.ts')
    return serveXmlCall(c, byName)
  })
  routes.on(['GET', 'POST'], '/jsonrpc.cgi', async (c) => {
    const { serveJsonCall } = await import('./json/serve.ts')
    return serveJsonCall(c, byName)
  })
  for (const [path, allow] of Object.entries(METHODS)) {
    routes.options(path, (c) => c.body(null, 204, { allow, 'access-control-allow-methods': allow }))
    routes.all(path, (c) => c.body(null, 405, { allow }))
  }
  return routes
}

/** A script that a page loads says nothing about what it accepts. */
function isGet({ method }: Request): boolean {
  return method === 'GET'
}
