import { type Operation, operation } from '../http/operation.ts'
import { createAttachmentInput, createAttachmentOutput, createAttachments } from './create.ts'
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
      status: 201,
      login: true,
      upload: 'data',
    },
    createAttachments,
  ),
]
