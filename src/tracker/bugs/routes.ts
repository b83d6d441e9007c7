import { bugAccessFaults } from '../../platform/access/faults.ts'
import { valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { attachmentLost } from '../attachments/faults.ts'
import { searchParameterNames } from '../search/search-fields.ts'
import { changeBugOutput, changeBugs } from './change/change.ts'
import { changeBugInput } from './change/input.ts'
import { fileBug, fileBugOutput } from './file/file.ts'
import { fileBugInput } from './file/input.ts'
import { changeBugFaults, fileBugFaults, searchBugFaults } from './model/faults.ts'
import { bugsOutput, getBug, getBugInput } from './read/get.ts'
import {
  findPossibleDuplicates,
  possibleDuplicatesInput,
  possibleDuplicatesOutput,
} from './read/possible-duplicates.ts'
import { searchBugs, searchInput, searchOutput } from './read/search.ts'

export const bugOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug',
      summary: 'Search bugs',
      reference: 'search.md#search-bugs',
      input: searchInput,
      catchallNames: searchParameterNames(),
      output: searchOutput,
      faults: searchBugFaults,
      pages: 'counted',
    },
    searchBugs,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/possible_duplicates',
      summary: 'Find bugs whose summaries contain words of a text',
      reference: 'bugs.md#find-possible-duplicates',
      input: possibleDuplicatesInput,
      output: possibleDuplicatesOutput,
      faults: [valueBlank],
    },
    findPossibleDuplicates,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/:id_or_alias',
      summary: 'Read bugs by ID or alias',
      reference: 'bugs.md#get-bugs',
      input: getBugInput,
      output: bugsOutput,
      faults: [...bugAccessFaults, attachmentLost],
    },
    getBug,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug',
      summary: 'File a bug',
      reference: 'bugs.md#file-a-bug',
      input: fileBugInput,
      output: fileBugOutput,
      faults: fileBugFaults,
      login: true,
    },
    fileBug,
  ),
  operation(
    {
      method: 'PUT',
      path: '/bug/:id_or_alias',
      summary: 'Change bugs',
      reference: 'bugs.md#change-bugs',
      input: changeBugInput,
      output: changeBugOutput,
      faults: changeBugFaults,
      login: true,
    },
    changeBugs,
  ),
]
