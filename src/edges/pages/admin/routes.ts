import { loggedIn, role } from '../../../platform/http/operations/operation.ts'
import type { PageHandler } from '../page.ts'
import type { PageRoute } from '../serve.tsx'
import type { AdminPage } from './frame.tsx'
import { SECTIONS } from './sections.ts'

const LOADERS: Readonly<Record<string, () => Promise<AdminPage>>> = {
  '/admin': async () => (await import('./overview.tsx')).overviewPage,
  '/admin/undelivered': async () => (await import('./undelivered.tsx')).undeliveredPage,
  '/admin/audit': async () => (await import('./audit.tsx')).auditPage,
  '/admin/settings': async () => (await import('./settings.tsx')).settingsPage,
  '/admin/products': async () => (await import('./products.tsx')).productsPage,
  '/admin/products/:name': async () => (await import('./product.tsx')).productPage,
  '/admin/users': async () => (await import('./users.tsx')).usersPage,
  '/admin/groups': async () => (await import('./groups.tsx')).groupsPage,
  '/admin/keywords': async () => (await import('./keywords.tsx')).keywordsPage,
  '/admin/flag-types': async () => (await import('./flag-types.tsx')).flagTypesPage,
  '/admin/fields': async () => (await import('./fields.tsx')).fieldsPage,
  '/admin/fields/:name': async () => (await import('./fields.tsx')).fieldPage,
  '/admin/workflow': async () => (await import('./workflow.tsx')).workflowPage,
}

/** What administrators set up and look after. */
export const ADMIN_PAGES: readonly PageRoute[] = Object.entries(LOADERS).flatMap(([path, load]) => [
  { path, load: async () => guard(path, (await load()).show), isLarge: true },
  {
    path,
    method: 'POST' as const,
    load: async () => {
      const { show, send } = await load()
      return guard(path, send ?? show)
    },
  },
])

/** Much of what these pages show is public; they are of use to those alone who may change it. */
function guard(path: string, page: PageHandler): PageHandler {
  const [, , name] = path.split('/')
  const section = SECTIONS.find((one) => one.path === name)
  const requires = section === undefined ? loggedIn : role(section.role, `see ${path}`)
  return (request) => {
    requires.grant(request.ctx, {})
    return page(request)
  }
}
