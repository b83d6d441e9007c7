import { getQueryParams } from 'hono/utils/url'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fault, invalidParameter, valueBlank } from '../../platform/faults/fault.ts'
import { withoutCredentials } from '../../platform/http/request/credentials.ts'
import { cleanLine } from '../../platform/lib/text.ts'
import {
  EMPTY_CONFIGURATION,
  isCurrent,
  loadConfiguration,
  type SearchConfiguration,
  signatureSelect,
} from '../search/configuration.ts'
import { needsConfiguration } from '../search/parameters/parse.ts'
import { parseSearch } from '../search/parse.ts'
import { findNamedSearch } from './named-search.ts'

type QueryParameters = Readonly<Record<string, string[]>>

/** As much as the query of an address may have. */
const MAX_BYTES = 10_240

/** Parses a query string by the rules of a request: `+` is a blank, what cannot be decoded stays. */
export function parseQueryString(query: string): QueryParameters {
  // the router's own parser wants an address
  return getQueryParams(`http://search/?${query}`) as Record<string, string[]>
}

/** Parses the query of a saved search as it is stored: one line without the `?` in front of it. */
export function parseSavedQuery(text: string): string {
  const query = cleanLine(text).replace(/^\?/, '')
  if (query === '') {
    throw fault(valueBlank, { field: 'query' })
  }
  if (new TextEncoder().encode(query).length > MAX_BYTES) {
    throw queryInvalid(`may have at most ${MAX_BYTES} bytes`)
  }
  if (!isDecodable(query)) {
    throw queryInvalid("holds a '%' that begins no character; write '%25' for the sign itself")
  }
  const parameters = parseQueryString(query)
  if (Object.keys(parameters).some((name) => /[/?]/.test(name))) {
    throw queryInvalid("must be only what follows the '?' in the address of a search")
  }
  const credential = findCredential(parameters)
  if (credential !== undefined) {
    throw queryInvalid(`may hold no credentials, such as '${credential}'`)
  }
  if (findNamedSearch(parameters) !== null) {
    throw queryInvalid('may not name another saved search')
  }
  return query
}

/** Throws the fault with which GET /bug would refuse these parameters. */
export async function assertSavedQuery(ctx: Ctx, query: string): Promise<void> {
  const parameters = parseQueryString(query)
  const configuration = needsConfiguration(parameters)
    ? await loadNewestConfiguration(ctx)
    : EMPTY_CONFIGURATION
  parseSearch(parameters, { caller: ctx.caller, configuration })
}

/**
 * A cached configuration may lack a field that was created since. It costs one round trip, or two more to
 * read it.
 */
async function loadNewestConfiguration(ctx: Ctx): Promise<SearchConfiguration> {
  const configuration = await loadConfiguration(ctx)
  const { signature } = await readBatch(ctx, { signature: signatureSelect() })
  return isCurrent(configuration, signature) ? configuration : loadConfiguration(ctx)
}

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** The name of a credential that has a value. A login or a password alone counts too. */
function findCredential(parameters: QueryParameters): string | undefined {
  const others = withoutCredentials({ login: [], password: [], ...parameters }, 'query')
  return Object.keys(parameters).find(
    (name) => !(name in others) && parameters[name]?.some((value) => value.trim() !== ''),
  )
}

function queryInvalid(reason: string) {
  return invalidParameter('query', reason)
}
