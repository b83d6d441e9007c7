import { type Context, Hono } from 'hono'
import { downloadAttachment, downloadInput } from '../attachments/download.ts'
import type { AppEnv } from '../http/app-env.ts'
import { identifyCaller } from '../http/identify-caller.ts'
import { validateInput, validInput } from '../http/input.ts'
import { mergeParameters } from '../http/request/merge-parameters.ts'
import { responseHeaders } from '../http/response/response-headers.ts'
import { readSettings } from '../settings.ts'

/** Serves attachments at the URLs in mails and links. Reference: attachments.md, "Download the bytes". */
export const attachmentPages = new Hono<AppEnv>()

for (const path of ['/attachment/:id', '/attachment.cgi']) {
  attachmentPages.use(
    path,
    async (c, next) => {
      await next()
      // a shared cache must not hold what one person may see, and no other site may frame it
      c.res.headers.set('cache-control', 'private, no-store')
      c.res.headers.set('x-frame-options', 'DENY')
      c.res.headers.set('cross-origin-resource-policy', 'same-origin')
    },
    responseHeaders(readSettings),
    mergeParameters(readSettings),
    identifyCaller(
      { method: 'GET', credentials: 'all', login: false, scope: 'read' },
      readSettings,
    ),
  )
}

attachmentPages.get('/attachment/:id', validateInput(downloadInput, ['id']), serveBytes)
attachmentPages.get('/attachment.cgi', validateInput(downloadInput, []), serveBytes)

function serveBytes(c: Context<AppEnv>): Promise<Response> {
  const input = validInput(c) as Parameters<typeof downloadAttachment>[1]
  return c.get('runForCaller')((ctx) => downloadAttachment(ctx, input, c.req.raw))
}
