import type { PageRoute } from '../serve.tsx'

const showList = async () => (await import('./show-list.tsx')).showList
const showSearchForm = async () => (await import('./search-form.tsx')).showSearchForm

export const LIST_PAGES: readonly PageRoute[] = [
  { path: '/bugs', load: showList },
  { path: '/buglist.cgi', load: showList },
  { path: '/bugs', method: 'POST', load: async () => (await import('./show-list.tsx')).sendMany },
  { path: '/saved', method: 'POST', load: async () => (await import('./saved.tsx')).sendSaved },
  { path: '/search', load: showSearchForm, isLarge: true },
  { path: '/query.cgi', load: showSearchForm, isLarge: true },
]
