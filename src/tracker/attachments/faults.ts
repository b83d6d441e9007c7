import { bugAccessFaults } from '../../platform/access/faults.ts'
import type { FaultName } from '../../platform/faults/faults.ts'
import { commentTextFaults } from '../comments/faults.ts'
import { flagEntryFaults } from '../flags/faults.ts'

/** Faults of the values of an attachment, its flags, and the comment on it. */
const attachmentFieldFaults = [
  ...commentTextFaults,
  ...flagEntryFaults,
  'attachmentPrivacyDenied',
  'attachmentSummaryMissing',
  'fileNameMissing',
  'mimeTypeInvalid',
  'privacyDenied',
  'productEditDenied',
  'textTooLong',
] as const satisfies readonly FaultName[]

export const createAttachmentFaults = [
  ...bugAccessFaults,
  ...attachmentFieldFaults,
  'attachmentEmpty',
  'attachmentTooLarge',
  'uploadsBusy',
] as const satisfies readonly FaultName[]

export const updateAttachmentFaults = [
  ...attachmentFieldFaults,
  'attachmentEditDenied',
  'attachmentPrivate',
  'attachmentUnknown',
  'bugNotVisible',
] as const satisfies readonly FaultName[]
