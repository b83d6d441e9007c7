import { entry } from './entry.ts'

/** The faults of searches and saved searches. */
export const searchFaults = {
  searchInvalid: entry<{ source: string; reason: string }>(
    32000,
    (d) => `The search cannot be read: ${d.source} ${d.reason}.`,
  ),
  searchFieldUnknown: entry<{ source: string; name: string; hint: string }>(
    108,
    (d) => `${d.source} names '${d.name}', which is no field to search by${d.hint}.`,
  ),
  searchTooSlow: entry<{ source: string }>(
    1001,
    (d) =>
      `The search took too long: ${d.source} has to look at every bug. Add a criterion that leaves fewer, such as a product, a person or a date.`,
  ),
  savedSearchUnknown: entry<{ field: string; name: string; sharerId: number | null }>(
    51,
    (d) =>
      `The parameter '${d.field}' names no search that ${
        d.sharerId === null ? 'you have saved' : `user ${d.sharerId} shares with you`
      }: '${d.name}'.`,
  ),
  savedSearchIdUnknown: entry<{ id: number }>(
    51,
    (d) => `You have no saved search with the ID ${d.id}.`,
  ),
  groupNotShareable: entry<{ group: string }>(
    804,
    (d) => `The parameter 'shared_with' names no group that you belong to: '${d.group}'.`,
  ),
  tooManySavedSearches: entry<{ most: number }>(
    32000,
    (d) => `You may have at most ${d.most} saved searches; remove some of them first.`,
  ),
  noSearchTerms: entry<{ unknown: string }>(
    1000,
    (d) => `A search needs at least one search term.${d.unknown}`,
  ),
} as const
