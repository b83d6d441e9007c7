import type { PageRoute } from '../serve.tsx'

const signIn = () => import('./sign-in.tsx')
const links = () => import('./links.tsx')
const preferences = () => import('./preferences.tsx')

const POST = { method: 'POST' } as const
const OPEN = { needsNoLogin: true } as const
const BOTH = { ...POST, ...OPEN }

/** Signing in and out, accounts that begin or were lost, and what a person sets for themselves. */
export const ACCOUNT_PAGES: readonly PageRoute[] = [
  { path: '/login', ...OPEN, load: async () => (await signIn()).showSignIn },
  { path: '/login', ...BOTH, load: async () => (await signIn()).sendSignIn },
  { path: '/logout', ...POST, load: async () => (await signIn()).sendSignOut },
  { path: '/account/forgotten', ...OPEN, load: async () => (await links()).showForgotten },
  { path: '/account/forgotten', ...BOTH, load: async () => (await links()).sendForgotten },
  { path: '/account/new', ...OPEN, load: async () => (await links()).showRegister },
  { path: '/account/new', ...BOTH, load: async () => (await links()).sendRegister },
  { path: '/createaccount.cgi', ...OPEN, load: async () => (await links()).leadToRegister },
  { path: '/account/password', ...OPEN, load: async () => (await links()).showPassword },
  { path: '/account/password', ...BOTH, load: async () => (await links()).sendPassword },
  { path: '/account/email', ...OPEN, load: async () => (await links()).showEmail },
  { path: '/account/email', ...BOTH, load: async () => (await links()).sendEmail },
  {
    path: '/account',
    load: async () => (await preferences()).showPreferences,
    // people have thousands of webhooks and reminders
    isLarge: true,
  },
  { path: '/account/:tab', ...POST, load: async () => (await preferences()).sendPreferences },
  { path: '/userprefs.cgi', load: async () => (await preferences()).leadToTab },
]
