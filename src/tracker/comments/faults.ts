import { bugAccessFaults } from '../../platform/access/faults.ts'
import type { FaultName } from '../../platform/faults/faults.ts'

/** Faults of a comment that is addressed by its ID. */
export const commentAccessFaults = [
  'bugNotVisible',
  'commentPrivate',
  'commentUnknown',
] as const satisfies readonly FaultName[]

/** Faults of the text of a new comment. */
export const commentTextFaults = [
  'commentTooLong',
  'markdownDisabled',
] as const satisfies readonly FaultName[]

/** Faults of comment tags. */
export const commentTagFaults = [
  'commentTagInvalid',
  'commentTagTooLong',
  'commentTagTooShort',
] as const satisfies readonly FaultName[]

/** Faults of a number of hours. */
export const hoursFaults = [
  'notANumber',
  'numberTooLarge',
  'numberTooSmall',
] as const satisfies readonly FaultName[]

export const postCommentFaults = [
  ...bugAccessFaults,
  ...commentTextFaults,
  ...commentTagFaults,
  ...hoursFaults,
  'privacyDenied',
  'productEditDenied',
] as const satisfies readonly FaultName[]

export const changeTagsFaults = [
  ...commentAccessFaults,
  ...commentTagFaults,
  'commentTagsDisabled',
  'notAuthorized',
] as const satisfies readonly FaultName[]
