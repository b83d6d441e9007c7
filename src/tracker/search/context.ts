import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { FieldCondition } from './expression.ts'

/** What parsing a search depends on beside its text. */
export type ParseContext = { readonly caller: Caller; readonly configuration: SearchConfiguration }

/** The parameters of a search that are no paging, order or selection, with all of their values. */
export type SearchParameters = Readonly<Record<string, readonly string[] | undefined>>

/** What the compilation of a search depends on beside its expression. */
export type CompileContext = {
  readonly caller: Caller
  /** Unix seconds. */
  readonly now: number
  readonly configuration: SearchConfiguration
  /** The address of the service, by which links to its own bugs are known; empty when it is not. */
  readonly baseUrl: string
  /** Logins are known to the caller by the part ahead of the @ only. */
  readonly hidesDomains: boolean
  /**
   * What the regular expression of each condition that has one matches, as `pattern-matches.ts` has found it. Absent
   * for an invalid expression.
   */
  readonly patternMatches: ReadonlyMap<FieldCondition, PatternMatches>
}

/** What a regular expression matches. */
export type PatternMatches = {
  /** The condition that it matches the value with this key. */
  readonly test: (key: SQL) => SQL
  /** It matches the empty text. */
  readonly hasEmpty: boolean
}
