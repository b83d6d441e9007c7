import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { archiveOperations } from './edges/archive/routes.ts'
import { codehostOperations } from './edges/codehost/routes.ts'
import { mcpRoutes } from './edges/mcp/routes.ts'
import { answerNowhere } from './edges/pages/answer-error.ts'
import { createPages } from './edges/pages/pages.ts'
import { rpcRoutes } from './edges/rpc/routes.ts'
import { serverOperations } from './edges/server/routes.ts'
import { VERSION } from './edges/server/version.ts'
import { undeliveredOperations } from './edges/undelivered/routes.ts'
import { webhookOperations } from './edges/webhooks/routes.ts'
import { createApiDescription } from './platform/http/openapi/openapi.ts'
import { admission } from './platform/http/operations/admission.ts'
import { mount } from './platform/http/operations/mount.ts'
import type { Operation } from './platform/http/operations/operation.ts'
import type { AppEnv } from './platform/http/request/app-env.ts'
import { redirectLongQuery } from './platform/http/request/long-query.ts'
import { servedPath } from './platform/http/request/path.ts'
import { etag } from './platform/http/response/etag.ts'
import { jsonp } from './platform/http/response/jsonp.ts'
import { onFault } from './platform/http/response/on-fault.ts'
import { responseHeaders } from './platform/http/response/response-headers.ts'
import { attachmentOperations } from './tracker/attachments/routes.ts'
import { bugOperations } from './tracker/bugs/routes.ts'
import { commentOperations } from './tracker/comments/routes.ts'
import { componentOperations } from './tracker/components/routes.ts'
import { fieldOperations } from './tracker/fields/routes.ts'
import { flagOperations } from './tracker/flags/routes.ts'
import { groupOperations } from './tracker/groups/routes.ts'
import { historyOperations } from './tracker/history/routes.ts'
import { keyOperations } from './tracker/keys/routes.ts'
import { keywordOperations } from './tracker/keywords/routes.ts'
import { preferencesOperations } from './tracker/preferences/routes.ts'
import { productOperations } from './tracker/products/routes.ts'
import { reminderOperations } from './tracker/reminders/routes.ts'
import { savedSearchOperations } from './tracker/saved-searches/routes.ts'
import { userOperations } from './tracker/users/routes.ts'
import { visitOperations } from './tracker/visits/routes.ts'

const roomOperations = [
  ...serverOperations,
  ...userOperations,
  ...groupOperations,
  ...keyOperations,
  ...fieldOperations,
  ...keywordOperations,
  ...componentOperations,
  ...flagOperations,
  ...productOperations,
  ...commentOperations,
  ...historyOperations,
  ...attachmentOperations,
  ...bugOperations,
  ...savedSearchOperations,
  ...visitOperations,
  ...reminderOperations,
  ...preferencesOperations,
  ...webhookOperations,
  ...codehostOperations,
  ...undeliveredOperations,
  ...archiveOperations,
]

const description = createApiDescription(roomOperations, VERSION)

/** Every operation of the service, in the order in which the router tries their paths. */
export const operations = [...roomOperations, description.operation]

export const app = createService(operations)
app.route('/', rpcRoutes(operations))
app.route('/', mcpRoutes(operations))
app.route('/', createPages(description))
app.notFound(answerNowhere)

/** Creates a service with these operations behind the middleware that all of them share. */
export function createService(serviceOperations: readonly Operation[]): Hono<AppEnv> {
  const service = new Hono<AppEnv>({
    getPath: (request, options) => servedPath(request, options?.env ?? {}),
    // hono's faster router does not accept all patterns of this API
    router: new TrieRouter(),
  })
  service.onError(onFault)
  service.use('/rest/*', responseHeaders)
  service.use(admission)
  service.use(redirectLongQuery)
  service.use('/rest/*', etag(), jsonp())
  mount(service, serviceOperations)
  return service
}
