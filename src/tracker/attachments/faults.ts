import { bugAccessFaults, bugNotVisible, productEditDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFault, textTooLong } from '../../platform/faults/fault.ts'
import { uploadsBusy } from '../../platform/http/request/faults.ts'
import { commentTextFaults, privacyDenied } from '../comments/faults.ts'
import { flagEntryFaults } from '../flags/faults.ts'

export const attachmentPrivacyDenied = defineFault(
  'attachmentPrivacyDenied',
  113,
  'Only members of the insider group may change whether an attachment is private.',
)
export const attachmentPrivate = defineFault<{ id: number }>(
  'attachmentPrivate',
  304,
  (d) => `Attachment ${d.id} is private.`,
)
export const attachmentUnknown = defineFault<{ id: number }>(
  'attachmentUnknown',
  32000,
  (d) => `There is no attachment with the ID ${d.id}.`,
)
export const attachmentEditDenied = defineFault<{ id: number }>(
  'attachmentEditDenied',
  109,
  (d) => `You are not allowed to change attachment ${d.id}.`,
)
export const attachmentTooLarge = defineFault<{ kb: number; mostKb: number }>(
  'attachmentTooLarge',
  600,
  (d) => `The attachment is too large: it has ${d.kb} KB and may have ${d.mostKb} KB.`,
)
export const mimeTypeInvalid = defineFault<{ type: string }>(
  'mimeTypeInvalid',
  601,
  (d) => `'${d.type}' is no MIME type.`,
)
export const attachmentLost = defineFault<{ id: number }>(
  'attachmentLost',
  -32000,
  (d) => `The bytes of attachment ${d.id} are lost; everything else of it can still be read.`,
)
export const fileNameMissing = defineFault(
  'fileNameMissing',
  603,
  'An attachment needs a file name.',
)
export const attachmentSummaryMissing = defineFault(
  'attachmentSummaryMissing',
  604,
  'An attachment needs a summary.',
)
export const attachmentEmpty = defineFault('attachmentEmpty', 606, 'The attachment is empty.')

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
  uploadsBusy,
]

export const updateAttachmentFaults: readonly AnyFault[] = [
  ...attachmentFieldFaults,
  attachmentEditDenied,
  attachmentPrivate,
  attachmentUnknown,
  bugNotVisible,
]
