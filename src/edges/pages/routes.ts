import { ACCOUNT_PAGES } from './account/routes.ts'
import { ADMIN_PAGES } from './admin/routes.ts'
import { ATTACHMENT_PAGES } from './attachments/routes.ts'
import { BROWSE_PAGES } from './browse/routes.ts'
import { BUG_PAGES } from './bug/routes.ts'
import { LIST_PAGES } from './list/routes.ts'
import { NEW_PAGES } from './new/routes.ts'
import { PEOPLE_PAGES } from './people/routes.ts'
import type { PageRoute } from './serve.tsx'

/** The pages for people. */
export const PAGES: readonly PageRoute[] = [
  ...BUG_PAGES,
  // strangers see all products
  { path: '/', load: async () => (await import('./home.tsx')).showHome, isLarge: true },
  ...ACCOUNT_PAGES,
  ...BROWSE_PAGES,
  ...LIST_PAGES,
  ...PEOPLE_PAGES,
  {
    path: '/unsubscribe',
    isOpen: true,
    load: async () => (await import('./unsubscribe.tsx')).showUnsubscribe,
  },
  {
    path: '/unsubscribe',
    method: 'POST',
    isOpen: true,
    load: async () => (await import('./unsubscribe.tsx')).sendUnsubscribe,
  },
  ...NEW_PAGES,
  ...ATTACHMENT_PAGES,
  ...ADMIN_PAGES,
]
