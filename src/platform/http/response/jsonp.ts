import type { Context, MiddlewareHandler, Next } from 'hono'
import { fault } from '../../faults/fault.ts'
import { translateBody } from '../../lib/stream.ts'
import type { AppEnv } from '../request/app-env.ts'
import { badCallback } from './faults.ts'
import { onFault } from './on-fault.ts'

const SCRIPT_TYPES = ['application/javascript', 'text/javascript']
const JSON_TYPES = ['application/json', 'application/*', '*/*']

/**
 * Wraps the answer, also that of an error, in a call of `callback` when the request `wantsScript`: when it prefers
 * JavaScript.
 */
export function jsonp(wantsScript = prefersScript): MiddlewareHandler<AppEnv> {
  return function passOrWrap(c, next) {
    const callback = findCallback(c, wantsScript)
    return callback === undefined ? next() : wrapInCallback(c, next, callback)
  }
}

async function wrapInCallback(
  c: Context<AppEnv>,
  next: Next,
  callback: string,
): Promise<Response | undefined> {
  if (!/^[A-Za-z0-9_.[\]]+$/.test(callback)) {
    return onFault(fault(badCallback), c)
  }
  c.set('callback', callback)
  await next()
  const headers = new Headers(c.res.headers)
  headers.set('content-type', 'application/javascript')
  const { status, body } = c.res
  // otherwise hono keeps the content type of the replaced answer
  c.res = undefined
  c.res = new Response(wrapBody(body, callback), { status, headers })
  return undefined
}

function findCallback(
  c: Context<AppEnv>,
  wantsScript: (request: Request) => boolean,
): string | undefined {
  if (!c.req.url.includes('?')) {
    return undefined
  }
  return wantsScript(c.req.raw) ? c.req.query('callback')?.trim() : undefined
}

/** Whether a JavaScript type ranks above JSON: by quality, then by order. */
function prefersScript({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? ''
  if (!/javascript/i.test(accept)) {
    return false
  }
  const ranked = accept
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  const best = ranked.find(({ type }) => [...SCRIPT_TYPES, ...JSON_TYPES].includes(type))
  return best !== undefined && SCRIPT_TYPES.includes(best.type)
}

/** Escapes U+2028 and U+2029, which JSON allows in texts and older JavaScript treats as line ends. */
function wrapBody(body: ReadableStream | null, callback: string): ReadableStream | string {
  if (body === null) {
    return `/**/${callback}()`
  }
  return translateBody(body, {
    begin: `/**/${callback}(`,
    write: (text) => text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'),
    end: () => ')',
  })
}
