import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { commit } from '../db/commit.ts'
import { openSession } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import type { AppEnv } from '../http/app-env.ts'
import { attachmentPages } from './attachment.ts'
import { homePage } from './home.ts'

/** What the service answers outside its API: a front door for people, and signs for machines. */
export const pages = new Hono<AppEnv>()

pages.route('/', attachmentPages)

pages.get(
  '/',
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"] },
    referrerPolicy: 'same-origin',
    // for this host alone: what else runs under the domain is not ours to decide
    strictTransportSecurity: 'max-age=31536000',
  }),
  (c) => c.html(homePage(new URL(c.req.url).origin)),
)

pages.get('/robots.txt', (c) => c.text('User-agent: *\nDisallow: /rest\n'))

/** The addresses of bugs that mails and people use lead to what there is to see. */
pages.get('/bug/:id{[0-9]+}', (c) => c.redirect(`/rest/bug/${c.req.param('id')}`))
pages.get('/show_bug.cgi', (c) =>
  c.redirect(`/rest/bug/${encodeURIComponent(c.req.query('id') ?? '')}`),
)

/** Whether the service and its database answer; tells nothing else. */
pages.get('/healthz', async (c) => {
  const session = openSession(c.env.DB, 'first-unconstrained')
  await commit({ session }, { alive: sql`SELECT 1 AS alive` })
  return c.json({ status: 'ok' })
})
