import type { MiddlewareHandler } from 'hono'
import { fingerprint } from '../../lib/fingerprint.ts'
import type { AppEnv } from '../app-env.ts'

const TOKEN = '"update_token":'

/**
 * Tags successful answers to GET, and answers 304 when the caller holds the same one already. Streamed
 * answers carry no tag: it would have to be known before they are.
 */
export function etag(): MiddlewareHandler<AppEnv> {
  return async function tagAnswer(c, next) {
    await next()
    const text = c.get('text')
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || text === undefined || c.res.status !== 200) {
      return
    }
    const { headers } = c.res
    // a script's answer holds the name of its callback too
    const body = `${c.get('callback') ?? ''} ${stableIn(text)}`
    const tag = fingerprint(body, c.env.SECRETS_KEY, 'etag')
    headers.set('etag', `W/"${tag}"`)
    const held = c.req.header('if-none-match')
    if (held !== undefined && holds(held, tag)) {
      headers.delete('content-type')
      // hono would otherwise bring back the headers of the answer that is replaced
      c.res = undefined
      c.res = new Response(null, { status: 304, headers })
    }
  }
}

/** The update token differs with every answer and says nothing about the bug. */
function stableIn(text: string): string {
  return text.includes(TOKEN) ? text.replaceAll(/"update_token":"[^"]*"/g, '') : text
}

/** Lists come separated by commas or blanks, with or without quotes and weakness marks. */
function holds(header: string, tag: string): boolean {
  return header
    .split(/[\s,]+/)
    .map((item) => item.replace(/^W\//, '').replaceAll('"', ''))
    .some((item) => item === tag || item === '*')
}
