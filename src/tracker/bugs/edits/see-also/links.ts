import { type BugRef, parseBugRef } from '../../../../platform/access/bug-set.ts'
import { fault } from '../../../../platform/faults/fault.ts'
import { fold, lengthOf } from '../../../../platform/lib/text.ts'
import { urlInvalid } from '../../model/faults.ts'

/** What a text in `see_also` leads to: a bug of this service, or an address elsewhere. */
type SeeAlsoTarget =
  | { readonly kind: 'local'; readonly ref: BugRef }
  | { readonly kind: 'elsewhere'; readonly url: string; readonly fold: string }

const MAX_PATH_LENGTH = 255
const MAX_ADDRESS_LENGTH = 2048

/**
 * Reads a text of `see_also`: a word is the number or the alias of a bug, an address on this service has to be that
 * of a bug, and any other one over HTTP is kept, with its scheme made `https`.
 */
export function parseTarget(given: string, baseUrl: string): SeeAlsoTarget {
  const text = given.trim()
  if (/^#?\w+$/.test(text)) {
    return { kind: 'local', ref: parseBugRef(text) }
  }
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
  if (
    url === null ||
    lengthOf(url.pathname) > MAX_PATH_LENGTH ||
    text.length > MAX_ADDRESS_LENGTH
  ) {
    throw invalidUrl(text)
  }
  const page = pageOfService(url, baseUrl)
  if (page !== null) {
    const id = /^\/(?:(?:rest\/)?bug\/)?(\d+)\/?$/.exec(page)?.[1] ?? idInQuery(page, url)
    if (id === undefined) {
      throw invalidUrl(text)
    }
    return { kind: 'local', ref: parseBugRef(id) }
  }
  const address = text.replace(/^http:/i, 'https:').replace(/^https:/i, 'https:')
  return { kind: 'elsewhere', url: address, fold: fold(address) }
}

/** The fault of a text that no link can lead to. */
export function invalidUrl(value: string) {
  return fault(urlInvalid, { field: 'see_also', value: value.slice(0, 100) })
}

/** The page of this service that an address leads to, in lower case from the slash on; null for one elsewhere. */
function pageOfService(url: URL, baseUrl: string): string | null {
  const base = URL.parse(baseUrl)
  return base !== null && base.host === url.host
    ? url.pathname.toLowerCase().replace(base.pathname.toLowerCase().replace(/\/$/, ''), '')
    : null
}

function idInQuery(page: string, url: URL): string | undefined {
  const id = page === '/show_bug.cgi' ? url.searchParams.get('id') : null
  return id !== null && /^\d+$/.test(id) ? id : undefined
}
