import type { Context, Hono, MiddlewareHandler } from 'hono'
import { fault } from '../../faults/fault.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv, Parameters } from '../request/app-env.ts'
import { baseUrl, publicAddress } from '../request/base-url.ts'
import { discardBody } from '../request/body-chunks.ts'
import { mergeParameters, takeQuery } from '../request/merge-parameters.ts'
import { joinMethods } from '../response/allowed-methods.ts'
import { MAX_TAGGED_LENGTH } from '../response/etag.ts'
import { jsonAnswer } from '../response/json-answer.ts'
import { memoizedResponse } from '../response/memoized-response.ts'
import { PagedAnswer, pageHeaders } from '../response/paged-answer.ts'
import { isPersonal } from '../response/response-headers.ts'
import { admitUpload } from './admit-upload.ts'
import { runVerb } from './call-operation.ts'
import { methodNotAllowed, noSuchPath } from './faults.ts'
import { identifyCaller } from './identify-caller.ts'
import { identifySender } from './identify-sender.ts'
import { validateInput, validInput } from './input.ts'
import { isPublicRead, type Operation, pathParameters, takesParameters } from './operation.ts'
import { noteUnusedKey } from './unused.ts'

/**
 * Mounts operations below /rest. A request passes these steps: who sends a long body, parameters,
 * credentials, required login, validation, verb. A constant operation is answered from memory before.
 * Every known path answers OPTIONS with its methods.
 */
export function mount(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { method, path, input, status, makes, upload, isConstant, isSigned, rawBody } = operation
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
    } else if (method !== 'GET' && !isSigned && rawBody === null) {
      app.on(method, `/rest${path}`, identifySender(operation))
    }
    app.on(
      method,
      `/rest${path}`,
      isSigned ? leaveUnread : rawBody !== null ? leaveToVerb : mergeParameters(upload?.name),
      // a body that the verb reads cannot be read by a second run
      identifyCaller(operation, rawBody !== null ? 'authenticated' : 'cached'),
      ...validators,
      async (c) => {
        const parameters = validators.length === 0 ? {} : validInput(c)
        const key = method === 'POST' ? c.req.header('idempotency-key') : undefined
        // caches may keep the headers of what everybody reads for others
        const isShared = method === 'GET' && (isConstant || !isPersonal(c))
        if (method !== 'POST' && !isShared) {
          noteUnusedKey(c)
        }
        const answer = await runVerb(c, operation, parameters, key)
        if (answer instanceof PagedAnswer) {
          c.set(
            'ownHeaders',
            pageHeaders(publicAddress(readSettings(c.env), c.req.url), answer.page),
          )
        }
        c.set('isPublic', mayBePublic)
        const result = answer instanceof PagedAnswer ? answer.body : answer
        if (makes !== undefined) {
          c.set('ownHeaders', await locate(c, makes, parameters, result))
        }
        if (result instanceof Response) {
          return result
        }
        const text = JSON.stringify(result)
        if (text.length <= MAX_TAGGED_LENGTH) {
          c.set('taggedText', text)
        }
        if (isConstant) {
          memo.store(text, c)
        }
        return jsonAnswer(text, status)
      },
    )
  }
  const groups = groupMethodsByPath(operations)
  for (const { path, methods } of groups) {
    app.options(`/rest${path}`, (c) => {
      c.header('allow', joinMethods(methods))
      c.header('access-control-allow-methods', joinMethods(methods))
      c.header('access-control-max-age', '86400')
      return c.json({})
    })
  }
  app.all('/rest/*', (c) => {
    const { method, path } = c.req
    const known = groups.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []))
    if (known.length === 0) {
      throw fault(noSuchPath, { method, path })
    }
    const methods = joinMethods(known)
    c.header('allow', methods)
    throw fault(methodNotAllowed, { method, path, methods })
  })
}

/**
 * The header with the address of what a request has made, also when its answer is repeated. What the answer leaves out
 * comes from the parameters; none where they lack it too.
 */
async function locate(
  c: Context<AppEnv>,
  makes: string,
  given: Parameters,
  result: unknown,
): Promise<(readonly [string, string])[]> {
  const made = result instanceof Response ? await result.clone().json() : result
  const members: Parameters = { ...given, ...(made as object) }
  const values = pathParameters(makes).map((name) => [members[name]].flat()[0])
  if (values.includes(undefined)) {
    return []
  }
  const path = makes.replace(/:\w+/g, () => encodeURIComponent(String(values.shift())))
  return [['location', `${baseUrl(readSettings(c.env), c.req.url)}/rest${path}`]]
}

/** In the place of `mergeParameters` where the verb reads the body. */
const leaveUnread: MiddlewareHandler<AppEnv> = (_, next) => next()

/** Where the verb reads a body that parameters in path and query are about; drops one that is refused unread. */
const leaveToVerb: MiddlewareHandler<AppEnv> = async (c, next) => {
  await takeQuery(c, next)
  await discardBody(c.req.raw)
}

type PathGroup = {
  readonly path: string
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

/** Each path with its methods. Paths that differ only in the names of parameters are one. */
function groupMethodsByPath(operations: readonly Operation[]): PathGroup[] {
  const byShape = Map.groupBy(operations, ({ path }) => path.replace(/:\w+/g, ':'))
  return [...byShape.values()].flatMap((group) => {
    const methods = group.map(({ method }) => method)
    return group.slice(0, 1).map(({ path }) => ({ path, pattern: patternOf(path), methods }))
  })
}

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(/:\w+(\{[^}]*\})?/g, (_, rest) => (rest ? '.+' : '[^/]+'))
  return new RegExp(`^/rest${source}$`)
}
