import { type Context, Hono } from 'hono'
import { commit } from '../../platform/db/commit.ts'
import { openSession } from '../../platform/db/session.ts'
import { sql } from '../../platform/db/sql.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { errorFacts, log } from '../../platform/lib/log.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { COMMIT, VERSION } from '../server/version.ts'

/** Milliseconds. A database that takes longer serves nobody. */
const MAX_WAIT = 5_000

const DAY_MS = 86_400_000

/** For machines: health, robots.txt, security.txt. */
export const operatorPages = new Hono<AppEnv>()

operatorPages.get('/healthz', async (c) => {
  const isHealthy = await isDatabaseAnswering(c.env)
  const check = await readCheck(c.env)
  c.header('cache-control', 'no-store')
  if (!isHealthy || check === 'damaged') {
    return c.json({ status: isHealthy ? 'damaged' : 'unavailable' }, 503)
  }
  return c.json({
    status: 'ok',
    version: VERSION,
    ...(COMMIT !== null && { commit: COMMIT }),
    ...(check === 'unchecked' && { database: 'being checked' }),
  })
})

/** Bugs and products are for search engines; lists, which have endless addresses, and what is personal are not. */
const UNLISTED = [
  ...['/rest', '/attachment', '/bugs', '/buglist.cgi', '/search', '/query.cgi', '/requests'],
  ...['/people', '/login', '/account', '/admin', '/new'],
]

operatorPages.get('/robots.txt', (c) =>
  c.text(['User-agent: *', ...UNLISTED.map((path) => `Disallow: ${path}`), ''].join('\n')),
)

operatorPages.get('/.well-known/security.txt', showSecurityContact)

/** What `npm start` knows of a large database, which it checks while it serves. */
async function readCheck(env: Env & { DATABASE_CHECK?: Fetcher }): Promise<string> {
  return (await env.DATABASE_CHECK?.fetch('http://localhost'))?.text() ?? 'sound'
}

/** Says why only in the log: strangers learn nothing else. */
async function isDatabaseAnswering(env: Env): Promise<boolean> {
  const session = openSession(env.DB, 'first-unconstrained')
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The database takes too long')), MAX_WAIT)
  try {
    await Promise.race([commit({ session }, { alive: sql`SELECT 1 AS alive` }), late.promise])
    return true
  } catch (error) {
    log('error', 'health check failed', errorFacts(error))
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** RFC 9116 demands an end, of less than a year; the file is made anew for each request. */
function showSecurityContact(c: Context<AppEnv>): Response | Promise<Response> {
  const { BASE_URL, SECURITY_CONTACT, SECURITY_POLICY } = readSettings(c.env)
  if (SECURITY_CONTACT === '') {
    return c.notFound()
  }
  const expires = new Date(Math.ceil(Date.now() / DAY_MS + 180) * DAY_MS)
  const lines = [
    `Contact: ${SECURITY_CONTACT}`,
    `Expires: ${expires.toISOString().replace('.000', '')}`,
    ...(SECURITY_POLICY === '' ? [] : [`Policy: ${SECURITY_POLICY}`]),
    ...(BASE_URL === '' ? [] : [`Canonical: ${BASE_URL}/.well-known/security.txt`]),
  ]
  return c.text(`${lines.join('\n')}\n`)
}
