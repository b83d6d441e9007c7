import { pathAt } from './base-url.ts'

/**
 * The request with one slash where its path has several in a row, as clients send that join an address and a path. All
 * that reads the address sees it so: a redirect to a path that began with two would lead to another host.
 */
export function withSingleSlashes(request: Request): Request {
  const { url } = request
  const start = pathAt(url)
  if (!url.includes('//', start)) {
    return request
  }
  const [path] = url.slice(start).split('?', 1) as [string]
  const single = path.replace(/\/{2,}/g, '/')
  return single === path
    ? request
    : new Request(url.slice(0, start) + single + url.slice(start + path.length), request)
}
