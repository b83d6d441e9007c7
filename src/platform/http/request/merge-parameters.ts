import type { Context, MiddlewareHandler, Next } from 'hono'
import type { AppEnv, Parameters } from './app-env.ts'
import { networkOfClient } from './client-address.ts'
import { findCredentials, withoutCredentials } from './credentials.ts'
import { parseJsonBody, readJsonBody } from './json-body.ts'
import { cutOversized } from './oversized.ts'
import { parseInTurn } from './parse-turns.ts'
import { readUploadBody } from './upload-body.ts'

type Query = Record<string, string[]>

const NO_QUERY: Query = {}

/**
 * Sets `parameters` and `credentials` on the request. Except for GET, the body is read as JSON whatever its
 * content type, and query parameters replace its members of the same name. Credentials and the JSONP callback
 * are taken out. The body member that `upload` names is decoded while it arrives.
 */
export function mergeParameters(upload?: string): MiddlewareHandler<AppEnv> {
  return function mergeQueryWithBody(c, next) {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') {
      return takeQuery(c, next)
    }
    const query = c.req.url.includes('?') ? c.req.queries() : NO_QUERY
    return upload === undefined
      ? mergeJsonBody(c, next, query)
      : mergeUploadBody(c, next, query, upload)
  }
}

/** Sets `parameters` and `credentials` from query and headers alone, and leaves the body unread. */
export async function takeQuery(c: Context<AppEnv>, next: Next): Promise<void> {
  const read = () => (c.req.url.includes('?') ? c.req.queries() : NO_QUERY)
  const query = await parseInTurn(networkOfClient(c), c.req.url.length, read)
  c.set('credentials', findCredentials(c.req.raw.headers, query, {}))
  c.set('parameters', query === NO_QUERY ? {} : queryParameters(query))
  return next()
}

async function mergeJsonBody(c: Context<AppEnv>, next: Next, query: Query): Promise<void> {
  // bytes, because the runtime warns when a body with the type of a form is read as text
  const bytes = await readJsonBody(c, c.get('isSenderKnown') ?? false)
  await setParameters(c, query, new TextDecoder().decode(bytes))
  await next()
}

async function mergeUploadBody(
  c: Context<AppEnv>,
  next: Next,
  query: Query,
  upload: string,
): Promise<void> {
  const body = await readUploadBody(c, upload, c.get('isSenderKnown') ?? false)
  c.set('upload', upload in query ? null : body.upload)
  await setParameters(c, query, body.text)
  await next()
}

async function setParameters(c: Context<AppEnv>, query: Query, text: string): Promise<void> {
  const body = cutOversized(
    await parseInTurn(networkOfClient(c), text.length, () => parseJsonBody(text)),
  )
  c.set('credentials', findCredentials(c.req.raw.headers, query, body))
  c.set('parameters', { ...withoutCredentials(body, 'body'), ...queryParameters(query) })
}

/** The value of a name that occurs once is a text, that of a repeated name a list. */
function queryParameters(query: Query): Parameters {
  const { callback, ...data } = withoutCredentials(query, 'query')
  return Object.fromEntries(
    Object.entries(data).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}
