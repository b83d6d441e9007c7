import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { fault } from '../faults.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { isCredentialName, presentedIn } from './credentials.ts'

type Parameters = Record<string, unknown>

/**
 * Collects the parameters of a request. For anything but GET the body is JSON whatever its content type
 * says, and query parameters win over body items of the same name; the request is issued again with the
 * merged body, so that validators stay ordinary. Credentials are taken out of the parameters. Contract
 * "Data format rules". Faults: 32000 for a body that is not a JSON object, 58 for one that is too large.
 */
export function overlay(settingsOf: (env: Env) => Settings): MiddlewareHandler<AppEnv> {
  return async function overlayQueryOnBody(c, next) {
    const query = c.req.queries()
    if (c.req.method === 'GET' || c.req.method === 'HEAD') {
      c.set('presented', presentedIn(c.req.raw.headers, query, {}))
      return next()
    }
    const limitKb = settingsOf(c.env).MAX_BODY_KB
    const limited = bodyLimit({
      maxSize: limitKb * 1024,
      onError: () => {
        throw fault('bodyTooLarge', { limitKb })
      },
    })
    return limited(c, async () => {
      const body = parsedBody(await c.req.text())
      c.set('presented', presentedIn(c.req.raw.headers, query, body))
      const merged = withoutCredentials({ ...body, ...flattened(query) })
      const headers = new Headers(c.req.raw.headers)
      headers.set('content-type', 'application/json')
      headers.delete('content-length')
      const { url, method } = c.req.raw
      c.req.raw = new Request(url, { method, headers, body: JSON.stringify(merged) })
      c.req.bodyCache = {}
      await next()
    })
  }
}

function parsedBody(text: string): Parameters {
  if (text.trim() === '') {
    return {}
  }
  const body = parsedJson(text)
  if (body === null) {
    return {}
  }
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw fault('badJson', { reason: 'must be a JSON object' })
  }
  return body as Parameters
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('badJson', { reason: 'is not valid JSON' })
  }
}

function flattened(query: Record<string, string[]>): Parameters {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

function withoutCredentials(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).filter(([name]) => !isCredentialName(name) && name !== 'callback'),
  )
}
