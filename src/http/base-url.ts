import type { Settings } from '../settings.ts'

/** The address of the service without a slash at the end: as set, or else as the request found it. */
export function baseUrl(settings: Settings, requestUrl: string): string {
  return settings.BASE_URL === '' ? new URL(requestUrl).origin : settings.BASE_URL
}
