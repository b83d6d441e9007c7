import type { PageRequest } from '../page.ts'

/** `show_bug.cgi` and its kin: the page, or for clients what they ask for. */
export async function showOldBug(request: PageRequest): Promise<Response> {
  const { searchParams: query } = request.url
  const ids = query
    .getAll('id')
    .flatMap((id) => id.split(','))
    .filter((id) => id.trim() !== '')
  const accept = request.c.req.header('accept') ?? ''
  const [first = ''] = ids
  if (query.get('ctype') === 'xml') {
    const { writeBugs } = await import('./xml.ts')
    return writeBugs(request, ids)
  }
  const asksForJson = accept.includes('application/json') && !accept.includes('text/html')
  if (query.get('ctype') === 'json' || asksForJson) {
    return request.c.redirect(`/rest/bug/${encodeURIComponent(first)}`)
  }
  if (ids.length > 1) {
    return request.c.redirect(`/bugs?${new URLSearchParams({ id: ids.join() })}`)
  }
  return request.c.redirect(first === '' ? '/' : `/bug/${encodeURIComponent(first.trim())}`)
}

export async function showOldGraph(request: PageRequest): Promise<Response> {
  return leadTo(request, 'graph')
}

/** `show_activity.cgi`. */
export async function showOldHistory(request: PageRequest): Promise<Response> {
  return leadTo(request, 'history')
}

function leadTo({ c, url }: PageRequest, page: string): Response {
  const id = url.searchParams.get('id')?.trim() ?? ''
  return c.redirect(id === '' ? '/' : `/bug/${encodeURIComponent(id)}/${page}`)
}

/** Mails and people write a number alone. */
export async function showNumber(request: PageRequest): Promise<Response> {
  return request.c.redirect(`/bug/${request.path.id}`)
}
