import { CREDENTIAL_PARAMETERS } from '../request/credentials.ts'

/** An answer that is one page of a list, with what its headers say of the whole. */
export class PagedAnswer<Body = unknown> {
  readonly body: Body
  readonly page: PageInfo

  constructor(body: Body, page: PageInfo) {
    this.body = body
    this.page = page
  }
}

export type PageInfo = {
  /** How many items were counted. */
  readonly total?: { readonly count: number; readonly isExact: boolean }
  /** The parameters that the next page has instead of those of this one; absent on the last page. */
  readonly next?: Readonly<Record<string, string | null>>
}

/** Leads to the page at an offset, unless it is more than `most`, which is refused. */
export function pageAt(
  offset: number,
  most: number,
  others: Readonly<Record<string, string>> = {},
): PageInfo {
  return offset > most ? {} : { next: { ...others, offset: String(offset) } }
}

/**
 * The headers of a page: `X-Total-Count`, with a plus sign where there are more than were counted, and `Link` to the
 * next page, without credentials.
 */
export function pageHeaders(address: string, { total, next }: PageInfo): [string, string][] {
  const headers: [string, string][] = []
  if (total !== undefined) {
    headers.push(['x-total-count', total.isExact ? String(total.count) : `${total.count}+`])
  }
  if (next !== undefined) {
    const start = address.includes('?') ? address.indexOf('?') : address.length
    const parameters = new URLSearchParams(address.slice(start))
    for (const name of [...CREDENTIAL_PARAMETERS, 'login', 'password']) {
      parameters.delete(name)
    }
    for (const [name, value] of Object.entries(next)) {
      if (value === null) {
        parameters.delete(name)
      } else {
        parameters.set(name, value)
      }
    }
    headers.push(['link', `<${address.slice(0, start)}?${parameters}>; rel="next"`])
  }
  return headers
}
