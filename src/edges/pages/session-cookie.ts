import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import {
  type PresentedCredentials,
  strongestCredential,
} from '../../platform/access/credentials.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { baseUrl } from '../../platform/http/request/base-url.ts'
import { findCredentials } from '../../platform/http/request/credentials.ts'
import { deriveKey } from '../../platform/lib/crypto/derived-key.ts'
import { fingerprint } from '../../platform/lib/crypto/fingerprint.ts'
import { readSettings } from '../../platform/settings/settings.ts'

/** Pages alone read the cookie: it is no credential of the API. */
const NAME = 'lacewing_session'

const DAY_SECONDS = 86_400

export function readSession(c: Context<AppEnv>): string | undefined {
  return getCookie(c, NAME, prefixOf(c))
}

/** The session of the cookie as the credential of a page. */
export function presentSession(c: Context<AppEnv>): PresentedCredentials {
  const session = readSession(c)
  return { keyInHeader: false, ...(session !== undefined && { session }) }
}

/** What a reader sends: credentials of the API, such as the key of a feed reader, or else the session of the cookie. */
export function presentReader(c: Context<AppEnv>): PresentedCredentials {
  const sent = findCredentials(c.req.raw.headers, c.req.queries(), {})
  return strongestCredential(sent) === null ? presentSession(c) : sent
}

export function keepSession(c: Context<AppEnv>, value: string): void {
  const maxAge = readSettings(c.env).TOKEN_IDLE_DAYS * DAY_SECONDS
  setCookie(c, NAME, value, { ...optionsOf(c), maxAge })
}

export function dropSession(c: Context<AppEnv>): void {
  deleteCookie(c, NAME, optionsOf(c))
}

/** What every form of a session sends back, so that no other site can send it. */
export function formTokenOf(c: Context<AppEnv>): string {
  return fingerprint(readSession(c) ?? '', deriveKey(c.env.SECRETS_KEY, 'form'))
}

function optionsOf(c: Context<AppEnv>): CookieOptions {
  return {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isHttps(c),
    ...(isHttps(c) && { prefix: 'host' as const }),
  }
}

function prefixOf(c: Context<AppEnv>) {
  return isHttps(c) ? ('host' as const) : undefined
}

function isHttps(c: Context<AppEnv>): boolean {
  return baseUrl(readSettings(c.env), c.req.url).startsWith('https:')
}
