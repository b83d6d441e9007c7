import { requireMaxLength } from '../../platform/faults/checks.ts'
import { fault, invalidParameter, valueBlank } from '../../platform/faults/fault.ts'
import { isPublicHost } from '../../platform/lib/public-host.ts'

const MAX_URL_LENGTH = 255

/** The lowest port beside 443: those below belong to other protocols. */
const FIRST_FREE_PORT = 1024

/** Parses the address that a webhook calls. */
export function parseTargetUrl(text: string, allowsPrivate: boolean): string {
  const url = requireMaxLength('url', text.trim(), MAX_URL_LENGTH)
  if (url === '') {
    throw fault(valueBlank, { field: 'url' })
  }
  const reason = findTargetProblem(url, allowsPrivate)
  if (reason !== null) {
    throw invalidParameter('url', reason)
  }
  return url
}

/**
 * Why an address may not be called; null when it may. The URL parser has normalized all spellings of IP
 * addresses. What a public name resolves to is for the runtime to check, which refuses private addresses.
 */
export function findTargetProblem(text: string, allowsPrivate: boolean): string | null {
  if (!URL.canParse(text)) {
    return 'is not an address'
  }
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowsPrivate && url.protocol === 'http:')) {
    return 'must begin with https://'
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a login'
  }
  if (allowsPrivate) {
    return null
  }
  if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT) {
    return 'must use port 443, or one from 1024 on'
  }
  return isPublicHost(url.hostname) ? null : 'must lead to a public host'
}
