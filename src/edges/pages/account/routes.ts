import type { PageRoute } from '../serve.tsx'

/** Signing in and out, and what a person sets for themselves. */
export const ACCOUNT_PAGES: readonly PageRoute[] = [
  { path: '/login', load: async () => (await import('./sign-in.tsx')).showSignIn },
  { path: '/login', method: 'POST', load: async () => (await import('./sign-in.tsx')).sendSignIn },
  {
    path: '/logout',
    method: 'POST',
    load: async () => (await import('./sign-in.tsx')).sendSignOut,
  },
  { path: '/account', load: async () => (await import('./preferences.tsx')).showPreferences },
  {
    path: '/account/:tab',
    method: 'POST',
    load: async () => (await import('./preferences.tsx')).sendPreferences,
  },
  { path: '/userprefs.cgi', load: async () => (await import('./preferences.tsx')).leadToTab },
]
