import type { Settings } from '../../settings.ts'

/** The address of the service without a slash at the end: as set, or else as the request found it. */
export function baseUrl(settings: Settings, requestUrl: string): string {
  return settings.BASE_URL === '' ? requestUrl.slice(0, pathAt(requestUrl)) : settings.BASE_URL
}

/** Where the path of a request's URL begins, which the runtime has parsed and written out again. */
export function pathAt(requestUrl: string): number {
  return requestUrl.indexOf('/', requestUrl.indexOf('://') + 3)
}
