import type { Operation } from '../../platform/http/operations/operation.ts'
import { createSavedSearch } from './create.ts'
import { listSavedSearches } from './list.ts'
import { removeSavedSearch } from './remove.ts'
import { updateSavedSearch } from './update.ts'

export const savedSearchOperations: Operation[] = [
  listSavedSearches,
  createSavedSearch,
  updateSavedSearch,
  removeSavedSearch,
]
