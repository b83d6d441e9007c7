import { buildAttachmentBody } from '../../builders/attachments.ts'
import type { DiscussionSenders } from '../../worlds/discussion-world.ts'
import { attachmentFlagRefusals } from './attachment-flags.ts'
import type { Refusal } from './refusal.ts'

const CREATE = 'POST /bug/{bug}/attachment'
const UPDATE = 'PUT /bug/attachment/{file}'
const NO_MARKDOWN = { USE_MARKDOWN: 'off' }

/** What the operations on attachments refuse. */
export const ATTACHMENT_REFUSALS: Record<string, readonly Refusal<keyof DiscussionSenders>[]> = {
  'Get Attachment': [
    { code: 100, by: 'author', request: 'GET /bug/NoSuch/attachment' },
    { code: 101, by: 'author', request: 'GET /bug/999999999/attachment' },
    { code: 102, by: 'stranger', request: 'GET /bug/{hidden}/attachment' },
    { code: 102, by: 'anyone', request: 'GET /bug/attachment/{onHidden}' },
    { code: 304, by: 'anyone', request: 'GET /bug/attachment/{secret}' },
    { code: 304, by: 'editor', request: 'GET /bug/attachment/{file}?attachment_ids={secret}' },
    { code: 52, by: 'author', request: 'GET /bug/attachment/NoSuch' },
  ],
  'Create Attachment': [
    {
      code: 100,
      by: 'author',
      request: 'POST /bug/NoSuch/attachment',
      body: buildAttachmentBody(),
    },
    {
      code: 101,
      by: 'author',
      request: 'POST /bug/999999999/attachment',
      body: buildAttachmentBody(),
    },
    {
      code: 102,
      by: 'stranger',
      request: 'POST /bug/{hidden}/attachment',
      body: buildAttachmentBody(),
    },
    {
      code: 102,
      by: 'stranger',
      request: CREATE,
      body: buildAttachmentBody({ ids: ['{hidden}'] }),
    },
    {
      code: 109,
      by: 'author',
      request: 'POST /bug/{locked}/attachment',
      body: buildAttachmentBody(),
    },
    { code: 50, by: 'author', request: CREATE, body: buildAttachmentBody({ data: undefined }) },
    {
      code: 104,
      by: 'author',
      request: CREATE,
      body: buildAttachmentBody({ summary: 'x'.repeat(256) }),
    },
    { code: 113, by: 'author', request: CREATE, body: buildAttachmentBody({ is_private: true }) },
    { code: 114, by: 'author', request: CREATE, body: buildAttachmentBody({ comment: '{long}' }) },
    {
      code: 140,
      by: 'author',
      request: CREATE,
      body: buildAttachmentBody({ is_markdown: true }),
      settings: NO_MARKDOWN,
    },
    {
      code: 600,
      by: 'author',
      request: CREATE,
      body: buildAttachmentBody({ data: btoa('x'.repeat(1025)) }),
      settings: { MAX_ATTACHMENT_KB: '1' },
    },
    {
      code: 601,
      by: 'author',
      request: CREATE,
      body: buildAttachmentBody({ content_type: 'NoSuch' }),
    },
    { code: 603, by: 'author', request: CREATE, body: buildAttachmentBody({ file_name: ' ' }) },
    { code: 604, by: 'author', request: CREATE, body: buildAttachmentBody({ summary: ' ' }) },
    { code: 606, by: 'author', request: CREATE, body: buildAttachmentBody({ data: '' }) },
    { code: 410, by: 'anyone', request: CREATE, body: buildAttachmentBody() },
    ...attachmentFlagRefusals(CREATE, (flags) => buildAttachmentBody({ flags })),
    ...attachmentFlagRefusals(CREATE, (flags) => buildAttachmentBody({ bug_flags: flags })),
  ],
  'Update Attachment': [
    {
      code: 102,
      by: 'stranger',
      request: 'PUT /bug/attachment/{onHidden}',
      body: { summary: 'n' },
    },
    { code: 304, by: 'editor', request: 'PUT /bug/attachment/{secret}', body: { summary: 'n' } },
    { code: 109, by: 'stranger', request: UPDATE, body: { summary: 'n' } },
    {
      code: 109,
      by: 'stranger',
      request: UPDATE,
      body: { flags: [{ name: '{single}', status: 'X' }] },
    },
    { code: 113, by: 'author', request: UPDATE, body: { is_private: true } },
    { code: 114, by: 'author', request: UPDATE, body: { comment: '{long}' } },
    {
      code: 140,
      by: 'author',
      request: UPDATE,
      body: { comment: 'x', is_markdown: true },
      settings: NO_MARKDOWN,
    },
    { code: 601, by: 'author', request: UPDATE, body: { content_type: 'NoSuch' } },
    { code: 603, by: 'author', request: UPDATE, body: { file_name: '' } },
    { code: 604, by: 'author', request: UPDATE, body: { summary: '' } },
    {
      code: 132,
      by: 'author',
      request: UPDATE,
      body: { flags: [{ name: '{review}', status: 'X' }] },
    },
    {
      code: 132,
      by: 'author',
      request: UPDATE,
      body: { bug_flags: [{ name: '{review}', status: '-' }] },
    },
    {
      code: 32_000,
      by: 'author',
      request: UPDATE,
      body: { flags: [{ name: '{single}', status: '+', new: true }] },
    },
    {
      code: 32_000,
      by: 'author',
      request: 'PUT /bug/attachment/999999999',
      body: { summary: 'n' },
    },
    { code: 52, by: 'author', request: UPDATE, body: { ids: ['NoSuch'] } },
    { code: 410, by: 'anyone', request: UPDATE, body: { summary: 'n' } },
    ...attachmentFlagRefusals(UPDATE, (flags) => ({ flags })),
    ...attachmentFlagRefusals(UPDATE, (flags) => ({ bug_flags: flags })),
  ],
}
