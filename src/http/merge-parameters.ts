import type { Context, MiddlewareHandler, Next } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { fault } from '../faults.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { presentedIn, withoutCredentials } from './credentials.ts'
import { readUploadBody } from './upload-body.ts'

type Parameters = Record<string, unknown>
type Query = Record<string, string[]>

const NO_QUERY: Query = {}

/** What validators take for JSON. */
const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * Collects the parameters of a request. For anything but GET the body is JSON whatever its content type
 * says, and query parameters win over body items of the same name. Credentials and the JSONP callback
 * are taken out. The request is issued again with what remains, so that validators stay ordinary. The
 * member `upload` of a body may be large: it is decoded while it arrives and put on the request.
 * Contract "Data format rules". Faults: 32000 for a body that is not a JSON object, 58 for one that is
 * too large.
 */
export function mergeParameters(
  settingsOf: (env: Env) => Settings,
  upload?: string,
): MiddlewareHandler<AppEnv> {
  return function overlayQueryOnBody(c, next) {
    const query = c.req.url.includes('?') ? c.req.queries() : NO_QUERY
    if (c.req.method === 'GET' || c.req.method === 'HEAD') {
      c.set('presented', presentedIn(c.req.raw.headers, query, {}))
      reissueWithQuery(c, query)
      return next()
    }
    return upload === undefined
      ? withBody(c, next, query, settingsOf(c.env))
      : withUpload(c, next, query, settingsOf(c.env), upload)
  }
}

function withBody(
  c: Context<AppEnv>,
  next: Next,
  query: Query,
  { MAX_BODY_KB: limitKb }: Settings,
) {
  const limited = bodyLimit({
    maxSize: limitKb * 1024,
    onError: () => {
      throw fault('bodyTooLarge', { limitKb })
    },
  })
  return limited(c, async () => {
    // bytes, because reading as text what calls itself a form makes the runtime complain
    setParameters(c, query, new TextDecoder().decode(await c.req.arrayBuffer()))
    await next()
  })
}

async function withUpload(
  c: Context<AppEnv>,
  next: Next,
  query: Query,
  settings: Settings,
  upload: string,
): Promise<void> {
  const body = await readUploadBody(c.req.raw, upload, settings)
  c.set('upload', upload in query ? null : body.upload)
  setParameters(c, query, body.text)
  await next()
}

function setParameters(c: Context<AppEnv>, query: Query, text: string): void {
  const body = parsedBody(text)
  c.set('presented', presentedIn(c.req.raw.headers, query, body))
  reissueWithBody(c, { ...withoutCredentials(body, 'body'), ...flattened(dataIn(query)) })
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

function reissueWithQuery(c: Context<AppEnv>, query: Query): void {
  if (query === NO_QUERY) {
    return
  }
  const data = dataIn(query)
  if (Object.keys(data).length === Object.keys(query).length) {
    return
  }
  const pairs = Object.entries(data).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  )
  const url = new URL(c.req.url)
  url.search = new URLSearchParams(pairs).toString()
  c.req.raw = new Request(url, c.req.raw)
}

function reissueWithBody(c: Context<AppEnv>, parameters: Parameters): void {
  const text = written(parameters)
  if (JSON_TYPE.test(c.req.header('content-type') ?? '')) {
    // hono declares what it keeps as if it had arrived
    c.req.bodyCache = { text: Promise.resolve(text) as unknown as string }
    return
  }
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  const { url, method } = c.req.raw
  c.req.raw = new Request(url, { method, headers, body: text })
  c.req.bodyCache = {}
}

/** Reading takes any depth, writing does not: what is nested that deep was never meant as parameters. */
function written(parameters: Parameters): string {
  try {
    return wellFormed(JSON.stringify(parameters))
  } catch {
    throw fault('badJson', { reason: 'is nested too deeply' })
  }
}

/**
 * Halves of characters, which no text can keep, become the replacement character: the database would turn
 * them into something else, and what was written would never again equal what is read. In what
 * `JSON.stringify` writes they are the only escapes of this form.
 */
function wellFormed(json: string): string {
  return json.includes('\\ud')
    ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd')
    : json
}

function dataIn(query: Query): Query {
  const { callback, ...data } = withoutCredentials(query, 'query')
  return data
}

function flattened(query: Query): Parameters {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}
