import {
  bugAccessFaults,
  notAuthorized,
  productDenied,
  productEditDenied,
} from '../../../platform/access/faults.ts'
import { busy } from '../../../platform/db/faults.ts'
import {
  type AnyFault,
  defineFault,
  fieldNotSettable,
  offsetWithoutLimit,
  parameterUnknown,
  textTooLong,
  valueBlank,
} from '../../../platform/faults/fault.ts'
import { attachmentLost } from '../../attachments/faults.ts'
import {
  commentTagFaults,
  commentTextFaults,
  hoursFaults,
  privacyDenied,
} from '../../comments/faults.ts'
import { productPartInactive, productPartUnknown } from '../../components/faults.ts'
import { productMissing, statusUnknown } from '../../fields/faults.ts'
import { flagEntryFaults } from '../../flags/faults.ts'
import { keywordUnknown } from '../../keywords/faults.ts'
import { savedSearchUnknown } from '../../saved-searches/faults.ts'
import {
  noSearchTerms,
  searchFieldUnknown,
  searchInvalid,
  searchTooSlow,
} from '../../search/faults.ts'
import { userNotAllowedHere } from '../../users/faults.ts'

export const resolutionUnknown = defineFault<{ name: string }>(
  'resolutionUnknown',
  51,
  (d) => `There is no resolution named '${d.name}'.`,
)
export const aliasInvalid = defineFault<{ alias: string; reason: string }>(
  'aliasInvalid',
  103,
  (d) => `The alias '${d.alias}' ${d.reason}.`,
)
export const bugChanged = defineFault(
  'bugChanged',
  32000,
  'The bug is no longer what the tag in If-Match stands for; read it again.',
  412,
)
export const selectValueUnknown = defineFault<{ field: string; value: string }>(
  'selectValueUnknown',
  104,
  (d) => `'${d.value}' is not a value of the field '${d.field}'.`,
)
export const componentMissing = defineFault('componentMissing', 105, 'A component is required.')
export const productClosed = defineFault<{ product: string }>(
  'productClosed',
  106,
  (d) => `The product '${d.product}' takes no new bugs.`,
)
export const productIncomplete = defineFault<{ product: string; part: string }>(
  'productIncomplete',
  106,
  (d) => `The product '${d.product}' takes no bugs yet: it has no active ${d.part}.`,
)
export const summaryMissing = defineFault('summaryMissing', 107, 'A summary is required.')
export const urlInvalid = defineFault<{ field: string; value: string }>(
  'urlInvalid',
  112,
  (d) => `'${d.value}' is not an address that '${d.field}' can hold.`,
)
export const changeDenied = defineFault<{ field: string; from: string; to: string; who: string }>(
  'changeDenied',
  115,
  (d) => `You are not allowed to change '${d.field}' from '${d.from}' to '${d.to}'; ${d.who} may.`,
)
// without the bug, because the loop may lead through hidden ones
export const dependencyLoop = defineFault<{ field: string }>(
  'dependencyLoop',
  116,
  (d) => `'${d.field}' would lead from a bug back to itself.`,
)
export const relationsTooMany = defineFault<{ field: string }>(
  'relationsTooMany',
  32000,
  (d) => `'${d.field}' links too many bugs to be checked at once; change fewer at a time.`,
)
export const groupDenied = defineFault<{ group: string; product: string }>(
  'groupDenied',
  120,
  (d) =>
    `The group '${d.group}' does not exist or is not allowed for you in the product '${d.product}'.`,
)
export const resolutionMissing = defineFault<{ status: string }>(
  'resolutionMissing',
  121,
  (d) => `A bug with the status '${d.status}' needs a resolution.`,
)
export const resolutionNotAllowed = defineFault<{ resolution: string }>(
  'resolutionNotAllowed',
  122,
  (d) => `The resolution '${d.resolution}' cannot be set on an open bug.`,
)
export const statusMoveDenied = defineFault<{ from: string; to: string; who: string }>(
  'statusMoveDenied',
  123,
  (d) => `You are not allowed to change the status from '${d.from}' to '${d.to}'; ${d.who} may.`,
)
export const statusNotReachable = defineFault<{ from: string; to: string; following: string }>(
  'statusNotReachable',
  123,
  (d) =>
    `The status cannot change from '${d.from}' to '${d.to}'. From '${d.from}' it can change to: ${d.following}.`,
)
export const statusNotInitial = defineFault<{ status: string; initial: string }>(
  'statusNotInitial',
  123,
  (d) => `A new bug cannot start with the status '${d.status}'. It can start with: ${d.initial}.`,
)
export const duplicateLoop = defineFault<{ bug: string; original: string }>(
  'duplicateLoop',
  118,
  (d) => `Bug ${d.bug} cannot be a duplicate of bug ${d.original}, which leads back to it.`,
)
export const duplicatesAtOnce = defineFault(
  'duplicatesAtOnce',
  32000,
  "Several bugs cannot be given one 'dupe_of'; change one at a time.",
)
export const duplicateNeedsTarget = defineFault(
  'duplicateNeedsTarget',
  119,
  "A duplicate needs the parameter 'dupe_of'.",
)
export const bugTypeRequired = defineFault<{ types: string }>(
  'bugTypeRequired',
  135,
  (d) => `A bug type is required, one of: ${d.types}.`,
)
export const commentNotOnBug = defineFault<{ id: string }>(
  'commentNotOnBug',
  117,
  (d) => `'comment_is_private' names ${d.id}, which is no comment of this bug.`,
)
export const commentBodyMissing = defineFault(
  'commentBodyMissing',
  50,
  "A comment needs its text in 'body' or 'comment'.",
)
export const commentRequired = defineFault<{ status: string }>(
  'commentRequired',
  32000,
  (d) => `Changing the status to '${d.status}' needs a comment.`,
)

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
  duplicateNeedsTarget,
  resolutionMissing,
  resolutionNotAllowed,
  resolutionUnknown,
  statusUnknown,
]

const bugValueFaults: readonly AnyFault[] = [
  aliasInvalid,
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
  parameterUnknown,
  statusNotInitial,
]

export const changeBugFaults: readonly AnyFault[] = [
  ...bugWriteFaults,
  bugChanged,
  changeDenied,
  commentBodyMissing,
  commentNotOnBug,
  duplicateLoop,
  duplicatesAtOnce,
  statusMoveDenied,
  statusNotReachable,
]

export const searchBugFaults: readonly AnyFault[] = [
  attachmentLost,
  noSearchTerms,
  offsetWithoutLimit,
  searchInvalid,
  searchFieldUnknown,
  searchTooSlow,
  notAuthorized,
  busy,
  savedSearchUnknown,
]
