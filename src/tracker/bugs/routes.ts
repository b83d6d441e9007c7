import type { Operation } from '../../platform/http/operations/operation.ts'
import { changeBugs } from './change/change.ts'
import { fileBug } from './file/file.ts'
import { getBug } from './read/get.ts'
import { findPossibleDuplicates } from './read/possible-duplicates.ts'
import { searchBugs } from './read/search.ts'

export const bugOperations: Operation[] = [
  searchBugs,
  findPossibleDuplicates,
  getBug,
  fileBug,
  changeBugs,
]
