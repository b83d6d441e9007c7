import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from '../http/app-env.ts'
import { attachmentPages } from './attachment.ts'
import { homePage } from './home.ts'
import { operatorPages } from './operator.ts'

/** The routes outside of the API: the home page, redirects, downloads, and what machines ask of operators. */
export const pages = new Hono<AppEnv>()

pages.route('/', attachmentPages)
pages.route('/', operatorPages)

pages.get(
  '/',
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"] },
    referrerPolicy: 'same-origin',
    // without includeSubDomains, because other services may run under the domain
    strictTransportSecurity: 'max-age=31536000',
  }),
  (c) => c.html(homePage(new URL(c.req.url).origin)),
)

/** Mails and people link to bugs; there is no page for them, so redirect to the API. */
pages.get('/bug/:id{[0-9]+}', (c) => c.redirect(`/rest/bug/${c.req.param('id')}`))
pages.get('/show_bug.cgi', (c) =>
  c.redirect(`/rest/bug/${encodeURIComponent(c.req.query('id') ?? '')}`),
)
