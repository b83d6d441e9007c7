import type { Hono, MiddlewareHandler } from 'hono'
import { fault } from '../../faults/fault.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { publicAddress } from '../request/base-url.ts'
import { mergeParameters, takeQuery } from '../request/merge-parameters.ts'
import { MAX_TAGGED_LENGTH } from '../response/etag.ts'
import { jsonAnswer } from '../response/json-answer.ts'
import { memoizedResponse } from '../response/memoized-response.ts'
import { PagedAnswer, pageHeaders } from '../response/paged-answer.ts'
import { admitUpload } from './admit-upload.ts'
import { runVerb } from './call-operation.ts'
import { noSuchPath } from './faults.ts'
import { identifyCaller } from './identify-caller.ts'
import { validateInput, validInput } from './input.ts'
import { isPublicRead, type Operation, pathParameters, takesParameters } from './operation.ts'

/**
 * Mounts operations below /rest. A request passes these steps: who sends an upload, parameters,
 * credentials, required login, validation, verb. A constant operation is answered from memory before.
 * Every known path answers OPTIONS with its methods.
 */
export function mount(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { method, path, input, status, upload, isConstant, isSigned, rawBody } = operation
    const validators =
      takesParameters(operation) && !isSigned
        ? [validateInput(input, pathParameters(path), operation.requires)]
        : []
    const memo = memoizedResponse(status)
    const mayBePublic = isPublicRead(operation)
    if (isConstant) {
      app.on(method, `/rest${path}`, memo.serve)
    }
    if (upload !== undefined) {
      app.on(method, `/rest${path}`, admitUpload(operation, upload))
    }
    app.on(
      method,
      `/rest${path}`,
      isSigned ? leaveUnread : rawBody !== null ? takeQuery : mergeParameters(upload?.name),
      // a body that the verb reads cannot be read by a second run
      identifyCaller(operation, rawBody !== null ? 'authenticated' : 'cached'),
      ...validators,
      async (c) => {
        const parameters = validators.length === 0 ? {} : validInput(c)
        const key = method === 'POST' ? c.req.header('idempotency-key') : undefined
        const answer = await runVerb(c, operation, parameters, key)
        if (answer instanceof PagedAnswer) {
          c.set(
            'pageHeaders',
            pageHeaders(publicAddress(readSettings(c.env), c.req.url), answer.page),
          )
        }
        c.set('isPublic', mayBePublic)
        const result = answer instanceof PagedAnswer ? answer.body : answer
        if (result instanceof Response) {
          return result
        }
        const text = JSON.stringify(result)
        if (text.length <= MAX_TAGGED_LENGTH) {
          c.set('taggedText', text)
        }
        if (isConstant) {
          memo.store(text, c.env)
        }
        return jsonAnswer(text, status)
      },
    )
  }
  for (const { path, methods } of groupMethodsByPath(operations)) {
    app.options(`/rest${path}`, (c) => {
      c.header('allow', methods)
      c.header('access-control-allow-methods', methods)
      c.header('access-control-max-age', '86400')
      return c.json({})
    })
  }
  app.all('/rest/*', (c) => {
    throw fault(noSuchPath, { method: c.req.method, path: c.req.path })
  })
}

/** In the place of `mergeParameters` where the verb reads the body. */
const leaveUnread: MiddlewareHandler<AppEnv> = (_, next) => next()

/** Each path with its methods, sorted. Paths that differ only in the names of parameters are one. */
function groupMethodsByPath(operations: readonly Operation[]): { path: string; methods: string }[] {
  const byShape = Map.groupBy(operations, ({ path }) => path.replace(/:\w+/g, ':'))
  return [...byShape.values()].flatMap((group) => {
    const methods = [...new Set(group.map(({ method }) => method))].sort().join(', ')
    return group.slice(0, 1).map(({ path }) => ({ path, methods }))
  })
}
