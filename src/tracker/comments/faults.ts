import {
  bugAccessFaults,
  bugNotVisible,
  notAuthorized,
  productEditDenied,
} from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFault,
  notANumber,
  numberTooLarge,
  numberTooSmall,
} from '../../platform/faults/fault.ts'

export const privacyDenied = defineFault(
  'privacyDenied',
  113,
  'Only members of the insider group may make comments private.',
)
export const commentUnknown = defineFault<{ id: string }>(
  'commentUnknown',
  111,
  (d) => `There is no comment with the ID '${d.id}'.`,
)
export const commentPrivate = defineFault<{ id: string }>(
  'commentPrivate',
  110,
  (d) => `Comment ${d.id} is private.`,
)
export const commentTooLong = defineFault<{ most: number }>(
  'commentTooLong',
  114,
  (d) => `A comment may have at most ${d.most} characters.`,
)
export const commentTagsDisabled = defineFault(
  'commentTagsDisabled',
  125,
  'Comment tagging is switched off.',
)
export const commentTagInvalid = defineFault<{ tag: string }>(
  'commentTagInvalid',
  126,
  (d) => `'${d.tag}' is no tag for a comment.`,
)
export const commentTagTooShort = defineFault<{ tag: string; least: number }>(
  'commentTagTooShort',
  127,
  (d) => `The comment tag '${d.tag}' is too short; it needs ${d.least} characters.`,
)
export const commentTagTooLong = defineFault<{ tag: string; most: number }>(
  'commentTagTooLong',
  128,
  (d) => `The comment tag '${d.tag}' is too long; it may have ${d.most} characters.`,
)
export const markdownDisabled = defineFault('markdownDisabled', 140, 'Markdown is switched off.')

export const commentAccessFaults: readonly AnyFault[] = [
  bugNotVisible,
  commentPrivate,
  commentUnknown,
]

export const commentTextFaults: readonly AnyFault[] = [commentTooLong, markdownDisabled]

export const commentTagFaults: readonly AnyFault[] = [
  commentTagInvalid,
  commentTagTooLong,
  commentTagTooShort,
]

export const hoursFaults: readonly AnyFault[] = [notANumber, numberTooLarge, numberTooSmall]

export const postCommentFaults: readonly AnyFault[] = [
  ...bugAccessFaults,
  ...commentTextFaults,
  ...commentTagFaults,
  ...hoursFaults,
  privacyDenied,
  productEditDenied,
]

export const changeTagsFaults: readonly AnyFault[] = [
  ...commentAccessFaults,
  ...commentTagFaults,
  commentTagsDisabled,
  notAuthorized,
]
