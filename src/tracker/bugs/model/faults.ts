import {
  bugAccessFaults,
  notAuthorized,
  productDenied,
  productEditDenied,
} from '../../../platform/access/faults.ts'
import { busy } from '../../../platform/db/faults.ts'
import {
  type AnyFault,
  dayInvalid,
  defineFaults,
  fieldNotSettable,
  offsetWithoutLimit,
  parameterUnknown,
  textTooLong,
  valueBlank,
} from '../../../platform/faults/fault.ts'
import { attachmentListFaults } from '../../attachments/faults.ts'
import {
  commentTagFaults,
  commentTextFaults,
  hoursFaults,
  privacyDenied,
} from '../../comments/faults.ts'
import { productPartInactive, productPartUnknown } from '../../components/faults.ts'
import { productMissing, statusUnknown } from '../../fields/faults.ts'
import { flagEntryFaults } from '../../flags/faults.ts'
import { discussionsTooLong } from '../../history/faults.ts'
import { keywordUnknown } from '../../keywords/faults.ts'
import { savedSearchUnknown } from '../../saved-searches/faults.ts'
import {
  noSearchTerms,
  searchFieldUnknown,
  searchInvalid,
  searchOrderTooSlow,
  searchTooSlow,
} from '../../search/faults.ts'
import { userNotAllowedHere } from '../../users/faults.ts'

export const {
  resolutionUnknown,
  aliasInvalid,
  bugChanged,
  selectValueUnknown,
  componentMissing,
  productClosed,
  productIncomplete,
  summaryMissing,
  urlInvalid,
  changeDenied,
  dependencyLoop,
  relationsTooMany,
  groupDenied,
  resolutionMissing,
  resolutionNotAllowed,
  statusMoveDenied,
  statusNotReachable,
  statusNotInitial,
  duplicateLoop,
  duplicatesAtOnce,
  duplicateNeedsTarget,
  duplicateNotInitial,
  bugTypeRequired,
  commentNotOnBug,
  commentBodyMissing,
  commentRequired,
  bugsTooLong,
  bugTextsTooLong,
} = defineFaults({
  bugsTooLong: [
    1001,
    'The answer would be too long: its bugs have more than {most} people on CC, keywords, flags, links and values of custom fields together, of which a long text counts as one for each 1,000 bytes. Ask for fewer bugs at a time, or for fewer fields.',
  ],
  bugTextsTooLong: [
    32000,
    'The whiteboards, addresses and texts of custom fields of these bugs are too long: they may have {megabytes} MB together, before and after. Change fewer bugs at a time.',
  ],
  resolutionUnknown: [51, "There is no resolution named '{name}'."],
  aliasInvalid: [103, "The alias '{alias}' {reason}."],
  bugChanged: [
    32000,
    'The bug is no longer what the tag in If-Match stands for; read it again.',
    412,
  ],
  selectValueUnknown: [104, "'{value}' is not a value of the field '{field}'."],
  componentMissing: [105, 'A component is required.'],
  productClosed: [106, "The product '{product}' takes no new bugs."],
  productIncomplete: [106, "The product '{product}' takes no bugs yet: it has no active {part}."],
  summaryMissing: [107, 'A summary is required.'],
  urlInvalid: [112, "'{value}' is not an address that '{field}' can hold."],
  changeDenied: [
    115,
    "You are not allowed to change '{field}' from '{from}' to '{to}'; {who} may.",
  ],
  // without the bug, because the loop may lead through hidden ones
  dependencyLoop: [116, "'{field}' would lead from a bug back to itself."],
  relationsTooMany: [
    32000,
    "'{field}' links too many bugs to be checked at once; change fewer at a time.",
  ],
  groupDenied: [
    120,
    "The group '{group}' does not exist or is not allowed for you in the product '{product}'.",
  ],
  resolutionMissing: [121, "A bug with the status '{status}' needs a resolution."],
  resolutionNotAllowed: [122, "The resolution '{resolution}' cannot be set on an open bug."],
  statusMoveDenied: [
    123,
    "You are not allowed to change the status from '{from}' to '{to}'; {who} may.",
  ],
  statusNotReachable: [
    123,
    "The status cannot change from '{from}' to '{to}'. From '{from}' it can change to: {following}.",
  ],
  statusNotInitial: [
    123,
    "A new bug cannot start with the status '{status}'. It can start with: {initial}.",
  ],
  duplicateLoop: [
    118,
    'Bug {bug} cannot be a duplicate of bug {original}, which leads back to it.',
  ],
  duplicatesAtOnce: [32000, "Several bugs cannot be given one 'dupe_of'; change one at a time."],
  duplicateNeedsTarget: [119, "A duplicate needs the parameter 'dupe_of'."],
  duplicateNotInitial: [
    119,
    "A new bug cannot be a duplicate: file it open, then change it with the parameter 'dupe_of'.",
  ],
  bugTypeRequired: [135, 'A bug type is required, one of: {types}.'],
  commentNotOnBug: [117, "'comment_is_private' names {id}, which is no comment of this bug."],
  commentBodyMissing: [50, "A comment needs its text in 'body' or 'comment'."],
  commentRequired: [32000, "Changing the status to '{status}' needs a comment."],
})

const bugPlaceFaults: readonly AnyFault[] = [
  componentMissing,
  productClosed,
  productDenied,
  productEditDenied,
  productIncomplete,
  productMissing,
  productPartInactive,
  productPartUnknown,
]

const bugStatusFaults: readonly AnyFault[] = [
  commentRequired,
  resolutionMissing,
  resolutionNotAllowed,
  resolutionUnknown,
  statusUnknown,
]

const bugValueFaults: readonly AnyFault[] = [
  aliasInvalid,
  dayInvalid,
  fieldNotSettable,
  selectValueUnknown,
  summaryMissing,
  textTooLong,
  urlInvalid,
  userNotAllowedHere,
  valueBlank,
]

const bugListFaults: readonly AnyFault[] = [
  dependencyLoop,
  groupDenied,
  keywordUnknown,
  relationsTooMany,
]

/** The first comment, or the one that comes with a change. */
const bugCommentFaults: readonly AnyFault[] = [
  ...commentTextFaults,
  ...commentTagFaults,
  privacyDenied,
]

/** Everything that filing and changing a bug have in common. */
const bugWriteFaults: readonly AnyFault[] = [
  ...bugAccessFaults,
  ...bugPlaceFaults,
  ...bugStatusFaults,
  ...bugValueFaults,
  ...bugListFaults,
  ...bugCommentFaults,
  ...hoursFaults,
  ...flagEntryFaults,
]

export const fileBugFaults: readonly AnyFault[] = [
  ...bugWriteFaults,
  bugTypeRequired,
  duplicateNotInitial,
  parameterUnknown,
  statusNotInitial,
]

export const changeBugFaults: readonly AnyFault[] = [
  ...bugWriteFaults,
  bugChanged,
  bugTextsTooLong,
  changeDenied,
  commentBodyMissing,
  commentNotOnBug,
  duplicateLoop,
  duplicateNeedsTarget,
  duplicatesAtOnce,
  statusMoveDenied,
  statusNotReachable,
]

export const searchBugFaults: readonly AnyFault[] = [
  bugsTooLong,
  discussionsTooLong,
  ...attachmentListFaults,
  noSearchTerms,
  offsetWithoutLimit,
  searchInvalid,
  searchFieldUnknown,
  searchTooSlow,
  searchOrderTooSlow,
  notAuthorized,
  busy,
  savedSearchUnknown,
]
