import type { Operation } from '../../platform/http/operations/operation.ts'
import { createKeyword } from './create.ts'
import { listKeywords } from './list.ts'
import { removeKeyword } from './remove.ts'
import { updateKeyword } from './update.ts'

export const keywordOperations: Operation[] = [
  listKeywords,
  createKeyword,
  updateKeyword,
  removeKeyword,
]
