import { notAuthorized } from '../../platform/access/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import { nameTaken, offsetWithoutLimit, valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { noSearchTerms, searchFieldUnknown, searchInvalid } from '../search/faults.ts'
import { createSavedSearch, createSavedSearchInput, createSavedSearchOutput } from './create.ts'
import { groupNotShareable, savedSearchIdUnknown, tooManySavedSearches } from './faults.ts'
import { listSavedSearches, listSavedSearchesInput, listSavedSearchesOutput } from './list.ts'
import { removeSavedSearch, removeSavedSearchInput, removeSavedSearchOutput } from './remove.ts'
import { updateSavedSearch, updateSavedSearchInput, updateSavedSearchOutput } from './update.ts'

/** What saving a search may refuse, the faults of its query among it. */
const savingFaults: readonly AnyFault[] = [
  groupNotShareable,
  nameTaken,
  noSearchTerms,
  notAuthorized,
  searchFieldUnknown,
  searchInvalid,
  valueBlank,
]

export const savedSearchOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/saved_search',
      summary: 'List the saved searches of the caller and those that are shared with the caller',
      reference: 'search.md#list-saved-searches',
      input: listSavedSearchesInput,
      output: listSavedSearchesOutput,
      faults: [offsetWithoutLimit],
      login: true,
    },
    listSavedSearches,
  ),
  operation(
    {
      method: 'POST',
      path: '/saved_search',
      summary: 'Save a search',
      reference: 'search.md#save-a-search',
      input: createSavedSearchInput,
      output: createSavedSearchOutput,
      faults: [...savingFaults, tooManySavedSearches],
      status: 201,
      login: true,
      scope: 'write-all-products',
    },
    createSavedSearch,
  ),
  operation(
    {
      method: 'PUT',
      path: '/saved_search/:id',
      summary: 'Rename, change or share a saved search',
      reference: 'search.md#change-a-saved-search',
      input: updateSavedSearchInput,
      output: updateSavedSearchOutput,
      faults: [...savingFaults, savedSearchIdUnknown],
      login: true,
      scope: 'write-all-products',
    },
    updateSavedSearch,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/saved_search/:id',
      summary: 'Remove a saved search',
      reference: 'search.md#remove-a-saved-search',
      input: removeSavedSearchInput,
      output: removeSavedSearchOutput,
      faults: [savedSearchIdUnknown],
      login: true,
      scope: 'write-all-products',
    },
    removeSavedSearch,
  ),
]
