import type { MiddlewareHandler } from 'hono'
import { deriveKey } from '../../lib/crypto/derived-key.ts'
import { fingerprint } from '../../lib/crypto/fingerprint.ts'
import type { AppEnv } from '../request/app-env.ts'

/** Characters. Longer answers have no ETag, because hashing them would hold several copies in memory. */
export const MAX_TAGGED_LENGTH = 4_000_000

const UPDATE_TOKEN = '"update_token":'

/**
 * Sets the ETag of successful answers to GET, and answers 304 when `If-None-Match` lists it. Streamed answers have
 * none, because it would have to be sent before their text is known.
 */
export function etag(): MiddlewareHandler<AppEnv> {
  return async function tagAnswer(c, next) {
    await next()
    const text = c.get('taggedText')
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || text === undefined || c.res.status !== 200) {
      return
    }
    const { headers } = c.res
    const tag = c.get('tag') ?? computeTag(text, c.get('callback'), c.env.SECRETS_KEY)
    headers.set('etag', `W/"${tag}"`)
    const ifNoneMatch = c.req.header('if-none-match')
    if (ifNoneMatch !== undefined && listsTag(ifNoneMatch, tag)) {
      headers.delete('content-type')
      // otherwise hono copies the headers of the replaced answer
      c.res = undefined
      c.res = new Response(null, { status: 304, headers })
    }
  }
}

/** The ETag of an answer, without its quotes. A JSONP answer also contains the name of its callback. */
export function computeTag(text: string, callback: string | undefined, secretsKey: string): string {
  const content = withoutUpdateTokens(text)
  // joining two texts makes the encoder copy them first; no JSON begins with the name of a callback
  const tagged = callback === undefined ? content : `${callback} ${content}`
  return fingerprint(tagged, deriveKey(secretsKey, 'etag'))
}

/** The update token differs in every answer although the bug is the same. */
function withoutUpdateTokens(text: string): string {
  return text.includes(UPDATE_TOKEN) ? text.replaceAll(/"update_token":"[^"]*"/g, '') : text
}

/**
 * Whether a header lists the tag. Tags are separated by commas or white space, with or without quotes and
 * `W/`; an asterisk is every tag.
 */
export function listsTag(header: string, tag: string): boolean {
  return header
    .split(/[\s,]+/)
    .map((item) => item.replace(/^W\//, '').replaceAll('"', ''))
    .some((item) => item === tag || item === '*')
}
