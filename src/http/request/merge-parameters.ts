import type { Context, MiddlewareHandler, Next } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { fault } from '../../faults.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv, Parameters } from '../app-env.ts'
import { presentedIn, withoutCredentials } from './credentials.ts'
import { parseJsonBody } from './json-body.ts'
import { readUploadBody } from './upload-body.ts'

type Query = Record<string, string[]>

const NO_QUERY: Query = {}

/**
 * Collects the parameters of a request into one object, `parameters`, and its credentials into
 * `presented`. For anything but GET the body is JSON whatever its content type says, and query parameters
 * win over body members of the same name. Credentials and the JSONP callback are taken out. The member
 * `upload` of a body may be large: it is decoded while it arrives and put on the request. Contract "Data
 * format rules". Faults: 32000 for a body that is not a JSON object, 58 for one that is too large.
 */
export function mergeParameters(
  settingsOf: (env: Env) => Settings,
  upload?: string,
): MiddlewareHandler<AppEnv> {
  return function mergeQueryWithBody(c, next) {
    const query = c.req.url.includes('?') ? c.req.queries() : NO_QUERY
    if (c.req.method === 'GET' || c.req.method === 'HEAD') {
      c.set('presented', presentedIn(c.req.raw.headers, query, {}))
      c.set('parameters', query === NO_QUERY ? {} : queryParameters(query))
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
  const body = parseJsonBody(text)
  c.set('presented', presentedIn(c.req.raw.headers, query, body))
  c.set('parameters', { ...withoutCredentials(body, 'body'), ...queryParameters(query) })
}

/** A name that occurs once has a text, one that is repeated a list. */
function queryParameters(query: Query): Parameters {
  const { callback, ...data } = withoutCredentials(query, 'query')
  return Object.fromEntries(
    Object.entries(data).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}
