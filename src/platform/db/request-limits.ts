import { perObject, Tally } from '../lib/isolate.ts'
import type { QueryCost, SessionHolder } from './session.ts'

/** What one request may take in all, however many calls it makes. The faults stand in the rooms that count. */
export const MOST_OF_REQUEST = {
  /** Bugs whose comments, histories or attachments are read. */
  discussedBugs: 1000,
  /** Bytes of all comments and values of history that are read: no discussion of people comes near it. */
  discussionBytes: 50_000_000,
  /** Bytes of attachments, each counted as `LEAST_ATTACHMENT` at least: they take most of a second. */
  attachmentBytes: 200_000_000,
  /** Bytes of comments whose HTML is made, which takes most of a second. */
  renderedBytes: 500_000,
  /** Items of lists and long texts of bugs that are too long together for one statement: they take a second. */
  listItems: 50_000,
  /** Values of fields, products and their parts: of more, few answers would fit into memory. */
  listedValues: 30_000,
  /** Characters of the groups of people: an answer would repeat each for every member. */
  groupCharacters: 10_000_000,
  /** Flag types with all they have, as each component of a product repeats them. */
  flagTypes: 50_000,
  /** IDs of flag types, as each component of the configuration repeats them. */
  flagTypeIds: 500_000,
} as const

/** What is counted: these, and how often searches look at bugs, whose limit is SEARCH_SCAN_BUGS. */
type Counted = keyof typeof MOST_OF_REQUEST | 'looks'

const takenBy = perObject((_: QueryCost) => new Tally<Counted>())

/** Counts what a request takes, and returns all that it has taken so far. */
export function take({ session }: SessionHolder, counted: Counted, amount: number): number {
  const taken = takenBy(session.cost)
  const total = (taken.get(counted) ?? 0) + amount
  taken.set(counted, total)
  return total
}
