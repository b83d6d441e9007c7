import { pathAt } from './base-url.ts'

/** What needs no second look. */
const PLAIN = /^\/rest\/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-]$/

/**
 * The path that the router sees. `/rest.cgi/…` is `/rest/…`, a slash at the end counts for nothing, and
 * harmless characters that a client has escaped are read as themselves. Escaped slashes stay escaped, so
 * that they remain part of one name. Older clients look for the configuration below `/latest` and `/bzapi`.
 */
export function routedPath(request: Request): string {
  const { url } = request
  const whole = url.slice(pathAt(url))
  if (PLAIN.test(whole)) {
    return whole
  }
  const raw = whole.replace(/[?#].*$/s, '')
  if (PLAIN.test(raw)) {
    return raw
  }
  const path = raw.includes('%') ? raw.replace(/%[0-9A-Fa-f]{2}/g, plainUnreserved) : raw
  const prefixed = path
    .replace(/^\/rest\.cgi(?=\/|$)/, '/rest')
    .replace(/^\/(?:latest|bzapi)(?=\/configuration\/?$)/, '/rest')
  return prefixed.length > 1 && prefixed.endsWith('/') ? prefixed.slice(0, -1) : prefixed
}

function plainUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9._~-]/.test(character) ? character : escaped
}
