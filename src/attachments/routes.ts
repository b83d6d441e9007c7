import { bugAccessFaults } from '../access/faults.ts'
import { type Operation, operation } from '../http/operation.ts'
import { createAttachmentInput, createAttachmentOutput, createAttachments } from './create.ts'
import { createAttachmentFaults, updateAttachmentFaults } from './faults.ts'
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
      heading: 'Attachments',
      input: attachmentInput,
      output: attachmentsOutput,
      faults: ['attachmentPrivate', 'bugNotVisible'],
    },
    getAttachments,
  ),
  operation(
    {
      method: 'PUT',
      path: '/bug/attachment/:attachment_id',
      summary: 'Change attachments',
      heading: 'Attachments',
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
      heading: 'Attachments',
      input: bugAttachmentsInput,
      output: attachmentsOutput,
      faults: bugAccessFaults,
    },
    getBugAttachments,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/:id_or_alias/attachment',
      summary: 'Attach a file to bugs',
      heading: 'Attachments',
      input: createAttachmentInput,
      output: createAttachmentOutput,
      faults: createAttachmentFaults,
      status: 201,
      login: true,
      upload: 'data',
    },
    createAttachments,
  ),
]
