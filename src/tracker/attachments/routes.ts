import type { Operation } from '../../platform/http/operations/operation.ts'
import { createAttachments } from './create.ts'
import { getAttachments, getBugAttachments } from './get.ts'
import { updateAttachments } from './update.ts'

export const attachmentOperations: Operation[] = [
  getAttachments,
  updateAttachments,
  getBugAttachments,
  createAttachments,
]
