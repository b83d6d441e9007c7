import { notAuthorized } from '../../platform/access/faults.ts'
import { type AnyFault, defineFaults, nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { noSearchTerms, searchFieldUnknown, searchInvalid } from '../search/faults.ts'

export const {
  savedSearchUnknown,
  savedSearchIdUnknown,
  groupNotShareable,
  savedSearchesTooLong,
  tooManySavedSearches,
} = defineFaults({
  savedSearchUnknown: [
    51,
    (d: { field: string; name: string; sharerId: number | null }) =>
      `The parameter '${d.field}' names no search that ${
        d.sharerId === null ? 'you have saved' : `user ${d.sharerId} shares with you`
      }: '${d.name}'.`,
  ],
  savedSearchIdUnknown: [51, 'You have no saved search with the ID {id}.'],
  groupNotShareable: [
    804,
    "The parameter 'shared_with' names no group that you belong to: '{group}'.",
  ],
  savedSearchesTooLong: [
    32000,
    'The queries of your saved searches may have at most {most} characters together; remove some searches first.',
  ],
  tooManySavedSearches: [
    32000,
    'You may have at most {most} saved searches; remove some of them first.',
  ],
})

/** What saving a search may refuse, the faults of its query among it. */
export const savingFaults: readonly AnyFault[] = [
  groupNotShareable,
  nameTaken,
  noSearchTerms,
  notAuthorized,
  savedSearchesTooLong,
  searchFieldUnknown,
  searchInvalid,
  valueBlank,
]
