import type { PageRoute } from '../serve.tsx'

/** Filing a bug. */
export const NEW_PAGES: readonly PageRoute[] = [
  { path: '/new', load: async () => (await import('./show.tsx')).showNew, isLarge: true },
  {
    path: '/new',
    method: 'POST',
    takesFile: true,
    load: async () => (await import('./send.tsx')).sendNew,
  },
  { path: '/enter_bug.cgi', load: async () => (await import('./show.tsx')).leadToNew },
  {
    path: '/suggest/duplicates',
    load: async () => (await import('./duplicates.tsx')).suggestDuplicates,
  },
]
