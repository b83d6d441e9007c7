import type { PageRoute } from '../serve.tsx'

/** What is around the bytes of attachments, which `../attachment.ts` serves. */
export const ATTACHMENT_PAGES: readonly PageRoute[] = [
  {
    path: '/attachment/:id/details',
    load: async () => (await import('./details.tsx')).showDetails,
  },
  {
    path: '/attachment/:id/details',
    method: 'POST',
    load: async () => (await import('./details.tsx')).sendDetails,
  },
  { path: '/bug/:id/attach', load: async () => (await import('./attach.tsx')).showAttach },
  {
    path: '/bug/:id/attach',
    method: 'POST',
    takesFile: true,
    load: async () => (await import('./attach.tsx')).sendAttach,
  },
]
