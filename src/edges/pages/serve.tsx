import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { csrf } from 'hono/csrf'
import { raw } from 'hono/html'
import type { Ctx } from '../../platform/context.ts'
import { joinReads } from '../../platform/db/join-reads.ts'
import { admit } from '../../platform/http/operations/admission.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { identifyCaller } from '../../platform/http/operations/identify-caller.ts'
import { anyone } from '../../platform/http/operations/operation.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { publicAddress } from '../../platform/http/request/base-url.ts'
import { computeTag, listsTag } from '../../platform/http/response/etag.ts'
import { finishAnswer } from '../../platform/http/response/response-headers.ts'
import { presentWarnings } from '../../platform/http/response/warnings.ts'
import { Turns } from '../../platform/load/turns.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { answerError, isAnonymous, PAGE_HEADERS, StaleForm } from './answer-error.ts'
import type { PageBody, PageHandler, PageRequest } from './page.ts'
import { readForm } from './read-form.ts'
import { FORM_ID, SentForm } from './sent-form.ts'
import { formTokenOf, presentReader, presentSession } from './session-cookie.ts'

/** A page by its path; its code waits for its first reader. */
export type PageRoute = {
  readonly path: string
  readonly load: () => Promise<PageHandler>
  /** `POST` for what a form sends; what is read otherwise. */
  readonly method?: 'GET' | 'POST'
  /** Whether the form may have a file. */
  readonly takesFile?: boolean
  /** Whether the address alone says for whom it is, so that others than this site may send the form. */
  readonly isOpen?: boolean
  /** Whether it serves those who cannot sign in yet, even where everybody has to. */
  readonly needsNoLogin?: boolean
  /** Whether it may be so large that many at once would keep all others waiting: they take turns. */
  readonly isLarge?: boolean
}

const turns = new Turns<string>(1, 2)

/** Forms come from pages of this service alone; a browser says where a form stands. */
const ownForms = csrf({
  origin: (origin, c: Context<AppEnv>) =>
    origin === new URL(publicAddress(readSettings(c.env), c.req.url)).origin,
})

/** Serves pages to people: signed in by the cookie of a session, or by the credentials of the API for what is read. */
export function servePages(routes: readonly PageRoute[]): Hono<AppEnv> {
  const pages = new Hono<AppEnv>()
  pages.onError(answerError)
  for (const { path, load, method = 'GET', takesFile = false, ...route } of routes) {
    const { isOpen = false, needsNoLogin = isOpen, isLarge = false } = route
    const isRead = method === 'GET'
    const scope = isRead ? 'read' : 'write'
    pages.on(
      method,
      path,
      PAGE_HEADERS,
      finishPage,
      ...(isRead || isOpen ? [] : [ownForms]),
      presentCredentials(isRead),
      identifyCaller(
        { method, credentials: needsNoLogin ? 'ignored' : 'all', requires: anyone, scope },
        'cached',
      ),
      async (c) => {
        const page = await load()
        const kind = { isRead, isOpen, takesFile, needsNoLogin }
        return answerPage(c, isLarge ? inTurn(page) : page, kind)
      },
    )
  }
  return pages
}

/** Parts of a page are made when it is written, so that its turn lasts until then. */
function inTurn(page: PageHandler): PageHandler {
  return (request) =>
    turns.run(turnOwner(request.ctx), async () => {
      const answer = await page(request)
      return answer instanceof Response ? answer : raw(await answer.toString())
    })
}

async function answerPage(
  c: Context<AppEnv>,
  page: PageHandler,
  { isRead, isOpen, ...kind }: FormKind & { readonly isRead: boolean; readonly isOpen: boolean },
): Promise<Response> {
  const form = isRead || isOpen ? new SentForm() : await readOwnForm(c, kind)
  admit(c)
  const answer = await c.get('runForCaller')((ctx) => page(describeRequest(c, ctx, form, isRead)))
  const response =
    answer instanceof Response ? answer : await writePage(c, answer, isRead && !isOpen)
  const { unread } = form
  // of a form that is refused, the rest is not read
  if (unread.length > 0 && response.status < 400) {
    response.headers.set('x-tracker-warnings', presentWarnings(new Map([['parameters', unread]])))
  }
  return response
}

async function writePage(
  c: Context<AppEnv>,
  body: PageBody,
  mayBePublic: boolean,
): Promise<Response> {
  // a promise where a part of the page is one
  const html = await body.toString()
  return mayBePublic && isAnonymous(c) ? answerPublic(c, html) : c.html(html)
}

function describeRequest(
  c: Context<AppEnv>,
  ctx: Ctx,
  form: SentForm,
  isRead: boolean,
): PageRequest {
  let formToken: string | undefined
  return {
    ctx: isRead ? { ...ctx, session: joinReads(ctx.session) } : ctx,
    viewer: ctx.caller.kind === 'person' ? ctx.caller : null,
    url: new URL(publicAddress(ctx.settings, c.req.url)),
    route: c.req.path,
    path: c.req.param() as Readonly<Record<string, string>>,
    // many pages have no form
    get formToken() {
      formToken ??= formTokenOf(c)
      return formToken
    },
    form,
    c,
  }
}

type FormKind = Required<Pick<PageRoute, 'takesFile' | 'needsNoLogin'>>

/**
 * The form, if this service made it for this session. A session counts for no more than a name where nobody checks it.
 */
async function readOwnForm(
  c: Context<AppEnv>,
  { takesFile, needsNoLogin }: FormKind,
): Promise<SentForm> {
  const { MAX_BODY_KB, MAX_ATTACHMENT_KB } = readSettings(c.env)
  const limitKb = MAX_BODY_KB + (takesFile ? MAX_ATTACHMENT_KB : 0)
  const form = new SentForm(await readForm(c, limitKb, !needsNoLogin && !isAnonymous(c)))
  if (form.get('form_token') !== formTokenOf(c)) {
    throw new StaleForm()
  }
  // of use for some of what a form does
  form.get(FORM_ID)
  return form
}

/** What a form sends counts for the session of the page alone. */
function presentCredentials(isRead: boolean): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    c.set('credentials', isRead ? presentReader(c) : presentSession(c))
    return next()
  }
}

const finishPage: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set('deferredWork', [])
  await next()
  if (!c.res.headers.has('cache-control')) {
    c.res.headers.set('cache-control', 'private, no-cache')
  }
  c.res.headers.append('vary', 'Accept, Cookie')
  finishAnswer(c)
}

/** What everybody sees may be kept by caches for a while, and is asked for again by its tag. */
function answerPublic(c: Context<AppEnv>, html: string): Response {
  const seconds = readSettings(c.env).PUBLIC_CACHE_SECONDS
  const tag = computeTag(html, undefined, c.env.SECRETS_KEY)
  c.header('etag', `W/"${tag}"`)
  c.header('cache-control', seconds > 0 ? `public, max-age=${seconds}` : 'public, no-cache')
  const ifNoneMatch = c.req.header('if-none-match')
  return ifNoneMatch !== undefined && listsTag(ifNoneMatch, tag) ? c.body(null, 304) : c.html(html)
}
