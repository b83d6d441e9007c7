import type { Caller } from '../../platform/access/caller.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { Expression } from './expression.ts'

/** What parsing a search depends on beside its text. */
export type ParseContext = { readonly caller: Caller; readonly configuration: SearchConfiguration }

/** The parameters of a search that are no paging, order or selection, with all of their values. */
export type SearchParameters = Readonly<Record<string, readonly string[] | undefined>>

/** What a search or a part of it was parsed into; null when it has no criterion. */
export type ParsedSearch = Expression | null
