import type { PageRoute } from '../serve.tsx'

const showBug = async () => (await import('./show.tsx')).showBug
const showGraph = async () => (await import('./graph.tsx')).showGraph
const showHistory = async () => (await import('./history.tsx')).showHistory
const showOldBug = async () => (await import('./old-address.ts')).showOldBug
const showOldGraph = async () => (await import('./old-address.ts')).showOldGraph
const showOldHistory = async () => (await import('./old-address.ts')).showOldHistory

/** The pages of one bug, what their forms send, and the addresses that older trackers had for them. */
export const BUG_PAGES: readonly PageRoute[] = [
  { path: '/bug/:id', load: showBug },
  { path: '/bug/:id', method: 'POST', load: async () => (await import('./change.tsx')).sendChange },
  {
    path: '/bug/:id/preview',
    method: 'POST',
    load: async () => (await import('./change.tsx')).sendPreview,
  },
  {
    path: '/bug/:id/comments/:comment',
    method: 'POST',
    load: async () => (await import('./marks.tsx')).sendMarks,
  },
  { path: '/bug/:id/graph', load: showGraph },
  { path: '/bug/:id/history', load: showHistory },
  { path: '/suggest/people', load: async () => (await import('./suggest.ts')).suggestPeople },
  { path: '/:id{[0-9]+}', load: async () => (await import('./old-address.ts')).showNumber },
  { path: '/show_bug.cgi', load: showOldBug },
  { path: '/showdependencytree.cgi', load: showOldGraph },
  { path: '/showdependencygraph.cgi', load: showOldGraph },
  { path: '/show_activity.cgi', load: showOldHistory },
]
