import type { PageRoute } from '../serve.tsx'
import type { AdminPage } from './frame.tsx'

const LOADERS: Readonly<Record<string, () => Promise<AdminPage>>> = {
  '/admin': async () => (await import('./overview.tsx')).overview,
  '/admin/undelivered': async () => (await import('./undelivered.tsx')).undelivered,
  '/admin/audit': async () => (await import('./audit.tsx')).audit,
  '/admin/settings': async () => (await import('./settings.tsx')).settings,
  '/admin/products': async () => (await import('./products.tsx')).products,
  '/admin/products/:name': async () => (await import('./product.tsx')).product,
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
