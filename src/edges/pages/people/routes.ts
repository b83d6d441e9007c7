import type { PageRoute } from '../serve.tsx'

const showRequests = async () => (await import('./requests.tsx')).showRequests

export const PEOPLE_PAGES: readonly PageRoute[] = [
  { path: '/people/:id{[0-9]+}', load: async () => (await import('./person.tsx')).showPerson },
  { path: '/requests', load: showRequests, isLarge: true },
  { path: '/request.cgi', load: showRequests, isLarge: true },
]
