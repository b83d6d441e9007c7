/**
 * What an operator should hear of a BASE_URL with a path; null without one. A proxy that takes the path away serves
 * programs, but pages link to each other from the root of their host.
 */
export function describeBasePath(baseUrl: string): string | null {
  const path = baseUrl === '' ? '/' : new URL(baseUrl).pathname
  return path === '/'
    ? null
    : `BASE_URL has the path ${path}: below it only the API works. The links of pages begin at the root of the host, so give the tracker a host of its own.`
}
