import { bugAccessFaults } from '../../platform/access/faults.ts'
import type { FaultName } from '../../platform/faults/faults.ts'
import { commentTagFaults, commentTextFaults, hoursFaults } from '../comments/faults.ts'
import { flagEntryFaults } from '../flags/faults.ts'

/** The product of a bug and its parts. */
const bugPlaceFaults = [
  'componentMissing',
  'productClosed',
  'productDenied',
  'productEditDenied',
  'productIncomplete',
  'productMissing',
  'productPartInactive',
  'productPartUnknown',
] as const satisfies readonly FaultName[]

/** Status and resolution. */
const bugStatusFaults = [
  'commentRequired',
  'duplicateNeedsTarget',
  'resolutionMissing',
  'resolutionNotAllowed',
  'resolutionUnknown',
  'statusUnknown',
] as const satisfies readonly FaultName[]

/** Fields with one value. */
const bugValueFaults = [
  'aliasInvalid',
  'fieldNotSettable',
  'selectValueUnknown',
  'summaryMissing',
  'textTooLong',
  'urlInvalid',
  'userNotAllowedHere',
  'valueBlank',
] as const satisfies readonly FaultName[]

/** Groups, keywords and relations. */
const bugListFaults = [
  'dependencyLoop',
  'groupDenied',
  'keywordUnknown',
  'relationsTooMany',
] as const satisfies readonly FaultName[]

/** The first comment, or the one that comes with a change. */
const bugCommentFaults = [
  ...commentTextFaults,
  ...commentTagFaults,
  'privacyDenied',
] as const satisfies readonly FaultName[]

/** Everything that filing and changing a bug have in common. */
const bugWriteFaults = [
  ...bugAccessFaults,
  ...bugPlaceFaults,
  ...bugStatusFaults,
  ...bugValueFaults,
  ...bugListFaults,
  ...bugCommentFaults,
  ...hoursFaults,
  ...flagEntryFaults,
] as const satisfies readonly FaultName[]

export const fileBugFaults = [
  ...bugWriteFaults,
  'bugTypeRequired',
  'parameterUnknown',
  'statusNotInitial',
] as const satisfies readonly FaultName[]

export const changeBugFaults = [
  ...bugWriteFaults,
  'bugChanged',
  'changeDenied',
  'commentBodyMissing',
  'commentNotOnBug',
  'duplicateLoop',
  'duplicatesAtOnce',
  'statusMoveDenied',
  'statusNotReachable',
] as const satisfies readonly FaultName[]

export const searchBugFaults = [
  'attachmentLost',
  'noSearchTerms',
  'offsetWithoutLimit',
  'searchInvalid',
  'searchFieldUnknown',
  'searchTooSlow',
  'notAuthorized',
  'busy',
  'savedSearchUnknown',
] as const satisfies readonly FaultName[]
