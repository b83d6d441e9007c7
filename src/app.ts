import { Hono } from 'hono'
import { attachmentOperations } from './attachments/routes.ts'
import { bugOperations } from './bugs/routes.ts'
import { commentOperations } from './comments/routes.ts'
import { componentOperations } from './components/routes.ts'
import { fieldOperations } from './fields/routes.ts'
import { flagOperations } from './flags/routes.ts'
import { groupOperations } from './groups/routes.ts'
import { historyOperations } from './history/routes.ts'
import type { AppEnv } from './http/app-env.ts'
import { mount } from './http/mount.ts'
import { openapi } from './http/openapi.ts'
import type { Operation } from './http/operation.ts'
import { longQuery } from './http/request/long-query.ts'
import { routedPath } from './http/request/path.ts'
import { etag } from './http/response/etag.ts'
import { jsonp } from './http/response/jsonp.ts'
import { onFault } from './http/response/on-fault.ts'
import { responseHeaders } from './http/response/response-headers.ts'
import { KeepingRouter } from './http/router.ts'
import { keyOperations } from './keys/routes.ts'
import { keywordOperations } from './keywords/routes.ts'
import { pages } from './pages/pages.ts'
import { productOperations } from './products/routes.ts'
import { serverOperations } from './server/routes.ts'
import { VERSION } from './server/version.ts'
import { readSettings } from './settings.ts'
import { userOperations } from './users/routes.ts'
import { visitOperations } from './visits/routes.ts'

const rooms = [
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
  ...visitOperations,
]

/** Every operation that the service offers, in the order in which paths are tried. */
export const operations = [...rooms, openapi(rooms, VERSION)]

export const app = serving(operations)
app.route('/', pages)

/** A service that offers these operations: protocol first, then the rooms. */
export function serving(offered: readonly Operation[]): Hono<AppEnv> {
  const service = new Hono<AppEnv>({ getPath: routedPath, router: new KeepingRouter() })
  service.onError(onFault)
  service.use('/rest/*', responseHeaders(readSettings))
  service.use(longQuery(readSettings))
  service.use('/rest/*', etag(), jsonp())
  mount(service, offered, readSettings)
  return service
}
