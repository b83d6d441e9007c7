import type { FaultName } from '../faults.ts'

/** Flags of a bug or an attachment that are set, requested or cleared. */
export const flagEntryFaults = [
  'flagDenied',
  'flagNotRequestable',
  'flagNotUnique',
  'flagStatusInvalid',
  'flagTaken',
  'flagTypeInactive',
  'flagTypeNotUnique',
  'flagTypeUnknown',
  'flagUnknown',
  'flagUnnamed',
  'requesteeNotAllowed',
  'userUnknown',
] as const satisfies readonly FaultName[]

/** The flag types of a product or one of its components. */
export const listFlagTypesFaults = [
  'productDenied',
  'productPartUnknown',
] as const satisfies readonly FaultName[]

export const createFlagTypeFaults = [
  'emailInvalid',
  'flagTypeCcTooLong',
  'flagTypeDescriptionMissing',
  'flagTypeNameInvalid',
  'flagTypeNotEditable',
  'flagTypeSortKeyInvalid',
  'groupUnknown',
  'notAuthorized',
  'productDenied',
  'productPartUnknown',
] as const satisfies readonly FaultName[]

export const updateFlagTypeFaults = [
  ...createFlagTypeFaults,
  'fieldNotChangeable',
  'flagTypeIdUnknown',
] as const satisfies readonly FaultName[]

/** What happened to flags, filtered and in pages. */
export const flagActivityFaults = [
  'offsetWithoutLimit',
  'userNotAllowedHere',
] as const satisfies readonly FaultName[]

/** The same, for the ID of a flag or of a type in the path. */
export const flagActivityByIdFaults = [
  ...flagActivityFaults,
  'idMalformed',
] as const satisfies readonly FaultName[]
