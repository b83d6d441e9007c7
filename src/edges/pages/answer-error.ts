import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { loginRequired, tokenInvalid } from '../../platform/access/faults.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { setRetryAfter, toFault } from '../../platform/http/response/on-fault.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { readForm } from './read-form.ts'
import { dropSession, readSession } from './session-cookie.ts'

export const PAGE_HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  referrerPolicy: 'same-origin',
  // without includeSubDomains, because other services may run under the domain
  strictTransportSecurity: 'max-age=31536000',
})

/** A form that was made for another session, or for none. */
export class StaleForm extends HTTPException {
  constructor() {
    super(403)
  }
}

/**
 * A page that says what went wrong and what to do; a session that has ended leads to the sign-in, and a form that ended
 * with it gives back what was typed.
 */
export async function answerError(error: unknown, c: Context<AppEnv>): Promise<Response> {
  const status = error instanceof HTTPException ? error.status : undefined
  const fault = status === undefined ? toFault(error, c) : null
  const hasEnded = fault?.kind === tokenInvalid && readSession(c) !== undefined
  if (hasEnded) {
    dropSession(c)
  }
  if (c.req.method === 'GET' && (hasEnded || (fault?.kind === loginRequired && isAnonymous(c)))) {
    const { pathname, search } = new URL(c.req.url)
    return c.redirect(
      hasEnded ? `${pathname}${search}` : `/login?return=${encodeURIComponent(pathname + search)}`,
      303,
    )
  }
  const { errorPage } = await import('./error-page.tsx')
  const isEndedForm =
    c.req.method === 'POST' &&
    (error instanceof StaleForm || hasEnded || fault?.kind === loginRequired)
  const typed = isEndedForm ? await readTyped(c) : []
  const html = errorPage(c, { status: status ?? fault?.status ?? 500, fault, hasEnded, typed })
  const response = await c.html(String(html), (status ?? fault?.status ?? 500) as 500)
  if (fault !== null) {
    setRetryAfter(response.headers, fault)
  }
  return response
}

/** Hidden fields with blanks in them, which nobody typed. */
const NOT_TYPED: ReadonlySet<string> = new Set(['before', 'seen', 'had_tags', 'return'])

/** The texts of a form that this site sent; one word is typed again in no time. */
async function readTyped(c: Context<AppEnv>): Promise<[name: string, text: string][]> {
  const { MAX_BODY_KB, MAX_ATTACHMENT_KB } = readSettings(c.env)
  // there may have been a file among them
  const limitKb = MAX_BODY_KB + MAX_ATTACHMENT_KB
  const form = await readForm(c, limitKb, false).catch(() => new FormData())
  return [...form].flatMap(([name, text]) =>
    typeof text === 'string' &&
    /\s/.test(text.trim()) &&
    !name.includes('password') &&
    !NOT_TYPED.has(name)
      ? [[name, text] as [string, string]]
      : [],
  )
}

export function isAnonymous(c: Context<AppEnv>): boolean {
  const credentials = c.get('credentials')
  return credentials === undefined || strongestCredential(credentials) === null
}

/** A refusal as a page for people, to whom the short answer for programs would be a bare line, or nothing at all. */
export async function answerWithPage(
  c: Context<AppEnv>,
  error: unknown,
  answerProgram: () => Response,
): Promise<Response> {
  if (!asksForHtml(c)) {
    return answerProgram()
  }
  await PAGE_HEADERS(c, async () => {
    c.res = await answerError(error, c)
    c.res.headers.set('cache-control', 'private, no-cache')
  })
  return c.res
}

export function asksForHtml(c: Context<AppEnv>): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

/** What no route knows, and what a route has not found. */
export function answerNowhere(c: Context<AppEnv>): Promise<Response> {
  return answerWithPage(c, new HTTPException(404), () => c.text('404 Not Found', 404))
}
