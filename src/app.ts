import { Hono } from 'hono'
import { attachmentOperations } from './attachments/routes.ts'
import { bugOperations } from './bugs/routes.ts'
import { codehostOperations } from './codehost/routes.ts'
import { commentOperations } from './comments/routes.ts'
import { componentOperations } from './components/routes.ts'
import { fieldOperations } from './fields/routes.ts'
import { flagOperations } from './flags/routes.ts'
import { groupOperations } from './groups/routes.ts'
import { historyOperations } from './history/routes.ts'
import type { AppEnv } from './http/app-env.ts'
import { mount } from './http/mount.ts'
import { createApiDescription } from './http/openapi.ts'
import type { Operation } from './http/operation.ts'
import { redirectLongQuery } from './http/request/long-query.ts'
import { servedPath } from './http/request/path.ts'
import { etag } from './http/response/etag.ts'
import { jsonp } from './http/response/jsonp.ts'
import { onFault } from './http/response/on-fault.ts'
import { responseHeaders } from './http/response/response-headers.ts'
import { CachingRouter } from './http/router.ts'
import { keyOperations } from './keys/routes.ts'
import { keywordOperations } from './keywords/routes.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { createPages } from './pages/pages.ts'
import { preferencesOperations } from './preferences/routes.ts'
import { productOperations } from './products/routes.ts'
import { reminderOperations } from './reminders/routes.ts'
import { rpcRoutes } from './rpc/routes.ts'
import { savedSearchOperations } from './saved-searches/routes.ts'
import { serverOperations } from './server/routes.ts'
import { VERSION } from './server/version.ts'
import { readSettings } from './settings.ts'
import { undeliveredOperations } from './undelivered/routes.ts'
import { userOperations } from './users/routes.ts'
import { visitOperations } from './visits/routes.ts'
import { webhookOperations } from './webhooks/routes.ts'

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
]

const description = createApiDescription(roomOperations, VERSION)

/** Every operation of the service, in the order in which the router tries their paths. */
export const operations = [...roomOperations, description.operation]

export const app = createService(operations)
app.route('/', rpcRoutes(operations))
app.route('/', mcpRoutes(operations))
app.route('/', createPages(description))

/** Creates a service with these operations behind the middleware that all of them share. */
export function createService(serviceOperations: readonly Operation[]): Hono<AppEnv> {
  const service = new Hono<AppEnv>({
    getPath: (request, options) => servedPath(request, options?.env ?? {}),
    router: new CachingRouter(),
  })
  service.onError(onFault)
  service.use('/rest/*', responseHeaders(readSettings))
  service.use(redirectLongQuery(readSettings))
  service.use('/rest/*', etag(), jsonp())
  mount(service, serviceOperations, readSettings)
  return service
}
