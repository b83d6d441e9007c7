import { pathAt } from './base-url.ts'

/** Paths that are used as they are: most of them. */
const CANONICAL_PATH = /^\/rest\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/

/**
 * The path for the router. `/rest.cgi/…` becomes `/rest/…`, a slash at the end is dropped, and unreserved
 * characters are unescaped. Slashes stay escaped, because they belong to a name. Older clients request the
 * configuration below `/latest` and `/bzapi`. Reference: README.md, "Addresses".
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
  const path = raw.includes('%') ? raw.replace(/%[0-9A-Fa-f]{2}/g, unescapeUnreserved) : raw
  const prefixed = path
    .replace(/^\/rest\.cgi(?=\/|$)/, '/rest')
    .replace(/^\/(?:latest|bzapi)(?=\/configuration\/?$)/, '/rest')
  return prefixed.length > 1 && prefixed.endsWith('/') ? prefixed.slice(0, -1) : prefixed
}

function unescapeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : escaped
}
