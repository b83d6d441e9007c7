import {
  bugAccessFaults,
  bugNotVisible,
  notAuthorized,
  productEditDenied,
} from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFaults,
  notANumber,
  numberTooLarge,
  numberTooSmall,
} from '../../platform/faults/fault.ts'

export const {
  privacyDenied,
  commentUnknown,
  commentPrivate,
  commentTooLong,
  commentsTooLong,
  commentTagsDisabled,
  commentTagInvalid,
  commentTagTooShort,
  commentTagTooLong,
  markdownDisabled,
} = defineFaults({
  privacyDenied: [113, 'Only members of the insider group may make comments private.'],
  commentUnknown: [111, "There is no comment with the ID '{id}'."],
  commentPrivate: [110, 'Comment {id} is private.'],
  commentTooLong: [114, 'A comment may have at most {most} characters.'],
  commentsTooLong: [
    114,
    'A comment on {bugs} bugs may have at most {most} bytes. Comment on fewer bugs at a time, or make it shorter.',
  ],
  commentTagsDisabled: [125, 'Comment tagging is switched off.'],
  commentTagInvalid: [126, "'{tag}' is no tag for a comment."],
  commentTagTooShort: [127, "The comment tag '{tag}' is too short; it needs {least} characters."],
  commentTagTooLong: [128, "The comment tag '{tag}' is too long; it may have {most} characters."],
  markdownDisabled: [140, 'Markdown is switched off.'],
})

export const commentAccessFaults: readonly AnyFault[] = [
  bugNotVisible,
  commentPrivate,
  commentUnknown,
]

export const commentTextFaults: readonly AnyFault[] = [
  commentTooLong,
  commentsTooLong,
  markdownDisabled,
]

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
