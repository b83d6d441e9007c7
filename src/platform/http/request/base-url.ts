import type { Settings } from '../../settings/settings.ts'

/** The address of the service without a slash at the end: the setting, or else that of the request. */
export function baseUrl(settings: Settings, requestUrl: string): string {
  return settings.BASE_URL === '' ? requestUrl.slice(0, pathAt(requestUrl)) : settings.BASE_URL
}

/** The index at which the path begins in a request's URL, which the runtime has normalized. */
export function pathAt(requestUrl: string): number {
  return requestUrl.indexOf('/', requestUrl.indexOf('://') + 3)
}

/** The address of a request as clients are to repeat it: below the address of the service. */
export function publicAddress(settings: Settings, requestUrl: string): string {
  return baseUrl(settings, requestUrl) + requestUrl.slice(pathAt(requestUrl))
}
