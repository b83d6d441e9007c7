import type { PageRoute } from '../serve.tsx'
import type { AdminPage } from './frame.tsx'

const LOADERS: Readonly<Record<string, () => Promise<AdminPage>>> = {
  '/admin': async () => (await import('./overview.tsx')).overview,
  '/admin/undelivered': async () => (await import('./undelivered.tsx')).undelivered,
  '/admin/audit': async () => (await import('./audit.tsx')).audit,
  '/admin/settings': async () => (await import('./settings.tsx')).settings,
  '/admin/products': async () => (await import('./products.tsx')).products,
  '/admin/products/:name': async () => (await import('./product.tsx')).product,
  '/admin/users': async () => (await import('./users.tsx')).users,
  '/admin/groups': async () => (await import('./groups.tsx')).groups,
  '/admin/keywords': async () => (await import('./keywords.tsx')).keywords,
  '/admin/flag-types': async () => (await import('./flag-types.tsx')).flagTypes,
  '/admin/fields': async () => (await import('./fields.tsx')).fields,
  '/admin/fields/:name': async () => (await import('./fields.tsx')).field,
  '/admin/workflow': async () => (await import('./workflow.tsx')).workflow,
}

/** What administrators set up and look after. */
export const ADMIN_PAGES: readonly PageRoute[] = Object.entries(LOADERS).flatMap(([path, load]) => [
  { path, load: async () => (await load()).show },
  {
    path,
    method: 'POST' as const,
    load: async () => {
      const { show, send } = await load()
      return send ?? show
    },
  },
])
