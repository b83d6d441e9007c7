import { type Context, Hono } from 'hono'
import { download, downloadInput } from '../attachments/download.ts'
import type { AppEnv } from '../http/app-env.ts'
import { caller } from '../http/caller.ts'
import { validated } from '../http/input.ts'
import { mergeParameters } from '../http/merge-parameters.ts'
import { responseHeaders } from '../http/response-headers.ts'
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
    caller({ credentials: 'all', login: false }, readSettings),
  )
}

attachmentPages.get(
  '/attachment/:id',
  validated('param', downloadInput.pick({ id: true })),
  validated('query', downloadInput.omit({ id: true })),
  (c) => serveDownload(c, { ...readValidated(c, 'query'), ...readValidated(c, 'param') }),
)

attachmentPages.get('/attachment.cgi', validated('query', downloadInput), (c) =>
  serveDownload(c, readValidated(c, 'query')),
)

function readValidated(c: Context<AppEnv>, target: 'param' | 'query'): object {
  return c.req.valid(target as never)
}

function serveDownload(c: Context<AppEnv>, input: object): Promise<Response> {
  return download(c.get('ctx'), input as Parameters<typeof download>[1], c.req.raw)
}
