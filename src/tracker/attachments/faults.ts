import { bugAccessFaults, bugNotVisible, productEditDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFaults, textTooLong } from '../../platform/faults/fault.ts'
import { commentTextFaults, privacyDenied } from '../comments/faults.ts'
import { flagEntryFaults } from '../flags/faults.ts'

export const {
  attachmentPrivacyDenied,
  attachmentPrivate,
  attachmentUnknown,
  attachmentEditDenied,
  attachmentTooLarge,
  mimeTypeInvalid,
  attachmentLost,
  attachmentsTooLong,
  attachmentsTooMany,
  fileNameMissing,
  attachmentSummaryMissing,
  attachmentEmpty,
} = defineFaults({
  attachmentPrivacyDenied: [
    113,
    'Only members of the insider group may change whether an attachment is private.',
  ],
  attachmentPrivate: [304, 'Attachment {id} is private.'],
  attachmentUnknown: [32000, 'There is no attachment with the ID {id}.'],
  attachmentEditDenied: [109, 'You are not allowed to change attachment {id}.'],
  attachmentTooLarge: [
    600,
    'The attachment is too large: it has {kb} KB and may have {mostKb} KB.',
  ],
  mimeTypeInvalid: [
    601,
    "The parameter 'content_type' must be a MIME type, such as text/plain, and is '{type}'.",
  ],
  attachmentLost: [
    -32000,
    'The bytes of attachment {id} are lost; everything else of it can still be read.',
  ],
  attachmentsTooLong: [
    1001,
    "The answer would be too long: it may have {megabytes} MB of attachments, each of which counts as {leastKb} KB at least. Ask for fewer of them at a time, or exclude the field 'data'.",
  ],
  attachmentsTooMany: [
    1001,
    'The answer would be too long: it may list at most {most} attachments. Ask for fewer bugs at a time.',
  ],
  fileNameMissing: [603, 'An attachment needs a file name.'],
  attachmentSummaryMissing: [604, 'An attachment needs a summary.'],
  attachmentEmpty: [606, 'The attachment is empty.'],
})

/** What an answer with the bytes of attachments may fail with. */
export const attachmentBytesFaults: readonly AnyFault[] = [attachmentLost, attachmentsTooLong]

/** What an answer with the attachments of bugs may fail with. */
export const attachmentListFaults: readonly AnyFault[] = [
  ...attachmentBytesFaults,
  attachmentsTooMany,
]

const attachmentFieldFaults: readonly AnyFault[] = [
  ...commentTextFaults,
  ...flagEntryFaults,
  attachmentPrivacyDenied,
  attachmentSummaryMissing,
  fileNameMissing,
  mimeTypeInvalid,
  privacyDenied,
  productEditDenied,
  textTooLong,
]

export const createAttachmentFaults: readonly AnyFault[] = [
  ...bugAccessFaults,
  ...attachmentFieldFaults,
  attachmentEmpty,
  attachmentTooLarge,
]

export const updateAttachmentFaults: readonly AnyFault[] = [
  ...attachmentFieldFaults,
  attachmentEditDenied,
  attachmentPrivate,
  attachmentUnknown,
  bugNotVisible,
]
