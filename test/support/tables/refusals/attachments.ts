import { buildAttachmentBody } from '../../builders/attachments.ts'
import type { DiscussionSenders } from '../../worlds/discussion-world.ts'
import { attachmentFlagRefusals } from './attachment-flags.ts'
import { type Refusal, refused } from './refusal.ts'

const CREATE = 'POST /bug/{bug}/attachment'
const UPDATE = 'PUT /bug/attachment/{file}'
const NO_MARKDOWN = { USE_MARKDOWN: 'off' }

/** What the operations on attachments refuse. */
export const ATTACHMENT_REFUSALS: Record<string, readonly Refusal<keyof DiscussionSenders>[]> = {
  'Get Attachment': [
    refused(100, 'author', 'GET /bug/NoSuch/attachment'),
    refused(101, 'author', 'GET /bug/999999999/attachment'),
    refused(102, 'stranger', 'GET /bug/{hidden}/attachment'),
    refused(102, 'anyone', 'GET /bug/attachment/{onHidden}'),
    refused(304, 'anyone', 'GET /bug/attachment/{secret}'),
    refused(304, 'editor', 'GET /bug/attachment/{file}?attachment_ids={secret}'),
    refused(52, 'author', 'GET /bug/attachment/NoSuch'),
  ],
  'Create Attachment': [
    refused(100, 'author', 'POST /bug/NoSuch/attachment', buildAttachmentBody()),
    refused(101, 'author', 'POST /bug/999999999/attachment', buildAttachmentBody()),
    refused(102, 'stranger', 'POST /bug/{hidden}/attachment', buildAttachmentBody()),
    refused(102, 'stranger', CREATE, buildAttachmentBody({ ids: ['{hidden}'] })),
    refused(109, 'author', 'POST /bug/{locked}/attachment', buildAttachmentBody()),
    refused(50, 'author', CREATE, buildAttachmentBody({ data: undefined })),
    refused(104, 'author', CREATE, buildAttachmentBody({ summary: 'x'.repeat(256) })),
    refused(113, 'author', CREATE, buildAttachmentBody({ is_private: true }), 'attachment'),
    refused(114, 'author', CREATE, buildAttachmentBody({ comment: '{long}' })),
    {
      ...refused(140, 'author', CREATE, buildAttachmentBody({ is_markdown: true })),
      settings: NO_MARKDOWN,
    },
    {
      ...refused(600, 'author', CREATE, buildAttachmentBody({ data: btoa('x'.repeat(1025)) })),
      settings: { MAX_ATTACHMENT_KB: '1' },
    },
    refused(601, 'author', CREATE, buildAttachmentBody({ content_type: 'NoSuch' })),
    refused(603, 'author', CREATE, buildAttachmentBody({ file_name: ' ' })),
    refused(604, 'author', CREATE, buildAttachmentBody({ summary: ' ' })),
    refused(606, 'author', CREATE, buildAttachmentBody({ data: '' })),
    refused(410, 'anyone', CREATE, buildAttachmentBody()),
    ...attachmentFlagRefusals(CREATE, (flags) => buildAttachmentBody({ flags })),
    ...attachmentFlagRefusals(CREATE, (flags) => buildAttachmentBody({ bug_flags: flags })),
    refused(50, 'author', CREATE, buildAttachmentBody({ data: null }), 'data'),
    refused(53, 'author', CREATE, buildAttachmentBody({ data: ['aGk=', 'aGk='] }), 'data'),
    refused(606, 'author', CREATE, buildAttachmentBody({ data: '!?' })),
    refused(604, 'author', CREATE, buildAttachmentBody({ summary: undefined })),
    refused(603, 'author', CREATE, buildAttachmentBody({ file_name: undefined })),
    refused(603, 'author', CREATE, buildAttachmentBody({ file_name: 'a/' })),
    refused(601, 'author', CREATE, buildAttachmentBody({ content_type: undefined })),
    refused(601, 'author', CREATE, buildAttachmentBody({ content_type: 'foo/bar' }), 'foo/bar'),
    refused(101, 'author', CREATE, buildAttachmentBody({ ids: ['999999999'] }), '999999999'),
    refused(
      100,
      'author',
      CREATE,
      buildAttachmentBody({ ids: ['no-such-alias'] }),
      'no-such-alias',
    ),
  ],
  'Update Attachment': [
    refused(102, 'stranger', 'PUT /bug/attachment/{onHidden}', { summary: 'n' }),
    refused(304, 'editor', 'PUT /bug/attachment/{secret}', { summary: 'n' }),
    refused(109, 'stranger', UPDATE, { summary: 'n' }),
    refused(109, 'stranger', UPDATE, { flags: [{ name: '{single}', status: 'X' }] }),
    refused(113, 'author', UPDATE, { is_private: true }, 'attachment'),
    refused(114, 'author', UPDATE, { comment: '{long}' }),
    {
      ...refused(140, 'author', UPDATE, { comment: 'x', is_markdown: true }),
      settings: NO_MARKDOWN,
    },
    refused(601, 'author', UPDATE, { content_type: 'NoSuch' }),
    refused(603, 'author', UPDATE, { file_name: '' }),
    refused(604, 'author', UPDATE, { summary: '' }),
    refused(132, 'author', UPDATE, { flags: [{ name: '{review}', status: 'X' }] }),
    refused(132, 'author', UPDATE, { bug_flags: [{ name: '{review}', status: '-' }] }),
    refused(32_000, 'author', UPDATE, { flags: [{ name: '{single}', status: '+', new: true }] }),
    refused(32_000, 'author', 'PUT /bug/attachment/999999999', { summary: 'n' }),
    refused(52, 'author', UPDATE, { ids: ['NoSuch'] }),
    refused(410, 'anyone', UPDATE, { summary: 'n' }),
    ...attachmentFlagRefusals(UPDATE, (flags) => ({ flags })),
    ...attachmentFlagRefusals(UPDATE, (flags) => ({ bug_flags: flags })),
    refused(604, 'author', UPDATE, { is_obsolete: true, summary: ' ' }),
    refused(603, 'author', UPDATE, { is_obsolete: true, file_name: 'x/' }),
    refused(104, 'author', UPDATE, { is_obsolete: true, summary: 'x'.repeat(256) }),
    refused(32000, 'author', UPDATE, { is_obsolete: true, ids: [999_999_999] }),
    refused(53, 'author', UPDATE, {
      is_obsolete: true,
      ids: Array.from({ length: 501 }, (_, i) => i + 1),
    }),
  ],
}
