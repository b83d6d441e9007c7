import { bugAccessFaults, bugNotVisible } from '../../platform/access/faults.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { createAttachmentInput, createAttachmentOutput, createAttachments } from './create.ts'
import { assertMayAttach } from './create-load.ts'
import {
  attachmentLost,
  attachmentPrivate,
  createAttachmentFaults,
  updateAttachmentFaults,
} from './faults.ts'
import {
  attachmentInput,
  attachmentsOutput,
  bugAttachmentsInput,
  getAttachments,
  getBugAttachments,
} from './get.ts'
import { updateAttachmentInput, updateAttachmentOutput, updateAttachments } from './update.ts'

export const attachmentOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug/attachment/:attachment_id',
      summary: 'Read attachments',
      reference: 'attachments.md#get-attachments',
      input: attachmentInput,
      output: attachmentsOutput,
      faults: [attachmentLost, attachmentPrivate, bugNotVisible],
    },
    getAttachments,
  ),
  operation(
    {
      method: 'PUT',
      path: '/bug/attachment/:attachment_id',
      summary: 'Change attachments',
      reference: 'attachments.md#change-attachments',
      input: updateAttachmentInput,
      output: updateAttachmentOutput,
      faults: updateAttachmentFaults,
      login: true,
    },
    updateAttachments,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/:id_or_alias/attachment',
      summary: 'Read the attachments of bugs',
      reference: 'attachments.md#list-attachments-of-bugs',
      input: bugAttachmentsInput,
      output: attachmentsOutput,
      faults: [...bugAccessFaults, attachmentLost],
    },
    getBugAttachments,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/:id_or_alias/attachment',
      summary: 'Attach a file to bugs',
      reference: 'attachments.md#attach-a-file',
      input: createAttachmentInput,
      output: createAttachmentOutput,
      faults: createAttachmentFaults,
      status: 201,
      login: true,
      upload: { name: 'data', admit: assertMayAttach },
    },
    createAttachments,
  ),
]
