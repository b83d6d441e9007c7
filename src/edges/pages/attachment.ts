import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { identifyCaller } from '../../platform/http/operations/identify-caller.ts'
import { validateInput, validInput } from '../../platform/http/operations/input.ts'
import { anyone } from '../../platform/http/operations/operation.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { mergeParameters } from '../../platform/http/request/merge-parameters.ts'
import { onFault } from '../../platform/http/response/on-fault.ts'
import { responseHeaders } from '../../platform/http/response/response-headers.ts'
import { downloadAttachment, downloadInput } from '../../tracker/attachments/download.ts'
import { answerWithPage } from './answer-error.ts'
import { presentReader } from './session-cookie.ts'

/** Serves attachments at the URLs in mails and links. */
export const attachmentPages = new Hono<AppEnv>()
attachmentPages.onError((error, c) => answerWithPage(c, error, () => onFault(error, c)))

for (const path of ['/attachment/:id', '/attachment.cgi']) {
  // for this method alone: no other is worth reading a body or a credential
  attachmentPages.get(
    path,
    async (c, next) => {
      await next()
      // a shared cache must not hold what one person may see, and no other site may frame it
      c.res.headers.set('cache-control', 'private, no-store')
      c.res.headers.set('x-frame-options', 'DENY')
      c.res.headers.set('cross-origin-resource-policy', 'same-origin')
    },
    responseHeaders,
    mergeParameters(),
    (c, next) => {
      c.set('credentials', presentReader(c))
      return next()
    },
    identifyCaller({ method: 'GET', credentials: 'all', requires: anyone, scope: 'read' }),
  )
}

attachmentPages.get('/attachment.cgi', leadToPage)
attachmentPages.get('/attachment/:id', validateInput(downloadInput, ['id'], anyone), serveBytes)
attachmentPages.get('/attachment.cgi', validateInput(downloadInput, [], anyone), serveBytes)

function serveBytes(c: Context<AppEnv>): Promise<Response> {
  const input = validInput(c) as Parameters<typeof downloadAttachment>[1]
  return c.get('runForCaller')((ctx) => downloadAttachment(ctx, input, c.req.raw))
}

/** What the old address shows beside bytes has pages of its own. */
async function leadToPage(...[c, next]: Parameters<MiddlewareHandler<AppEnv>>) {
  const { action = 'view', id = '', bugid = '' } = c.req.query()
  if (action === 'enter') {
    if (bugid === '') {
      throw fault(parameterMissing, { field: 'bugid' })
    }
    return c.redirect(`/bug/${encodeURIComponent(bugid)}/attach`)
  }
  return action === 'view' || id === ''
    ? next()
    : c.redirect(`/attachment/${encodeURIComponent(id)}/details`)
}
