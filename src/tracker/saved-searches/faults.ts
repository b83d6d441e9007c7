import { notAuthorized } from '../../platform/access/faults.ts'
import { type AnyFault, defineFault, nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { noSearchTerms, searchFieldUnknown, searchInvalid } from '../search/faults.ts'

export const savedSearchUnknown = defineFault<{
  field: string
  name: string
  sharerId: number | null
}>(
  'savedSearchUnknown',
  51,
  (d) =>
    `The parameter '${d.field}' names no search that ${
      d.sharerId === null ? 'you have saved' : `user ${d.sharerId} shares with you`
    }: '${d.name}'.`,
)
export const savedSearchIdUnknown = defineFault<{ id: number }>(
  'savedSearchIdUnknown',
  51,
  (d) => `You have no saved search with the ID ${d.id}.`,
)
export const groupNotShareable = defineFault<{ group: string }>(
  'groupNotShareable',
  804,
  (d) => `The parameter 'shared_with' names no group that you belong to: '${d.group}'.`,
)
export const tooManySavedSearches = defineFault<{ most: number }>(
  'tooManySavedSearches',
  32000,
  (d) => `You may have at most ${d.most} saved searches; remove some of them first.`,
)

/** What saving a search may refuse, the faults of its query among it. */
export const savingFaults: readonly AnyFault[] = [
  groupNotShareable,
  nameTaken,
  noSearchTerms,
  notAuthorized,
  searchFieldUnknown,
  searchInvalid,
  valueBlank,
]
