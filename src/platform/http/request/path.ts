import { readSettings } from '../../settings/settings.ts'
import { pathAt } from './base-url.ts'

/** Paths that are used as they are: most of them. */
const CANONICAL_PATH = /^\/rest\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/

/**
 * The path for the router. `/rest.cgi/…` becomes `/rest/…`, a slash at the end is dropped, and unreserved characters are
 * unescaped. Slashes stay escaped, because they belong to a name. Older clients request the configuration below
 * `/latest` and `/bzapi`. Those of XML-RPC take an address that ends with a slash as it is given.
 */
export function routedPath(request: Request): string {
  const { url } = request
  const whole = url.slice(pathAt(url))
  if (CANONICAL_PATH.test(whole)) {
    return whole
  }
  const raw = whole.replace(/[?#].*$/s, '')
  if (CANONICAL_PATH.test(raw)) {
    return raw
  }
  if (raw === '/' && request.method === 'POST' && isXml(request)) {
    return '/xmlrpc.cgi'
  }
  const path = raw.includes('%') ? raw.replace(/%[0-9A-Fa-f]{2}/g, unescapeUnreserved) : raw
  const prefixed = path
    .replace(/^\/rest\.cgi(?=\/|$)/, '/rest')
    .replace(/^\/(?:latest|bzapi)(?=\/configuration\/?$)/, '/rest')
  return prefixed.length > 1 && prefixed.endsWith('/') ? prefixed.slice(0, -1) : prefixed
}

function isXml({ headers }: Request): boolean {
  return /^(?:text|application)\/xml(?![^\s;])/i.test(headers.get('content-type') ?? '')
}

/** The paths of code-host events as operations declare them. */
const CODEHOST_ROOT = '/rest/codehost/'

const CODEHOST_PATH = /^\/rest\/([^/]+)\/(pull_request|push_comment)$/

/**
 * `routedPath`, with `codehost` in the place of the code host's name in the path of an event: that of the
 * setting, or `github`.
 */
export function servedPath(request: Request, env: object): string {
  const path = routedPath(request)
  if (!path.endsWith('/push_comment') && !path.endsWith('/pull_request')) {
    return path
  }
  const [, segment, event] = CODEHOST_PATH.exec(path) ?? []
  const isCodehost = segment === 'github' || segment === readSettings(env).CODEHOST_SEGMENT
  return isCodehost ? `${CODEHOST_ROOT}${event}` : path
}

/** Whether it is a path of code-host events, which have error objects of their own. */
export function isCodehostPath(path: string): boolean {
  return path.startsWith(CODEHOST_ROOT)
}

function unescapeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : escaped
}
