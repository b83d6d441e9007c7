import { notAuthorized } from '../../platform/access/faults.ts'
import { nameTaken, objectInUse, valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import {
  assertMayCreateKeyword,
  createKeyword,
  createKeywordInput,
  createKeywordOutput,
} from './create.ts'
import { keywordUnknown } from './faults.ts'
import { listKeywords, listKeywordsInput, listKeywordsOutput } from './list.ts'
import {
  assertMayRemoveKeyword,
  removeKeyword,
  removeKeywordInput,
  removeKeywordOutput,
} from './remove.ts'
import {
  assertMayUpdateKeyword,
  updateKeyword,
  updateKeywordInput,
  updateKeywordOutput,
} from './update.ts'

export const keywordOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/keyword',
      summary: 'List keywords and how often they are used',
      reference: 'keywords.md#list-keywords',
      input: listKeywordsInput,
      output: listKeywordsOutput,
      faults: [],
    },
    listKeywords,
  ),
  operation(
    {
      method: 'POST',
      path: '/keyword',
      summary: 'Create a keyword',
      reference: 'keywords.md#create-a-keyword',
      input: createKeywordInput,
      output: createKeywordOutput,
      faults: [nameTaken, notAuthorized, valueBlank],
      status: 201,
      login: true,
      right: assertMayCreateKeyword,
    },
    createKeyword,
  ),
  operation(
    {
      method: 'PUT',
      path: '/keyword/:id_or_name',
      summary: 'Rename, describe, close or reopen a keyword',
      reference: 'keywords.md#change-a-keyword',
      input: updateKeywordInput,
      output: updateKeywordOutput,
      faults: [keywordUnknown, nameTaken, notAuthorized, valueBlank],
      login: true,
      right: assertMayUpdateKeyword,
    },
    updateKeyword,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/keyword/:id_or_name',
      summary: 'Remove a keyword that no bug has',
      reference: 'keywords.md#remove-a-keyword',
      input: removeKeywordInput,
      output: removeKeywordOutput,
      faults: [keywordUnknown, notAuthorized, objectInUse],
      login: true,
      right: assertMayRemoveKeyword,
    },
    removeKeyword,
  ),
]
