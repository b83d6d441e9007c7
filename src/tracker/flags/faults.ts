import type { FaultName } from '../../platform/faults/faults.ts'

/** Faults of flag entries. */
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

/** Faults of listing the flag types of a product or component. */
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

/** Faults of listing flag activity. */
export const flagActivityFaults = [
  'offsetWithoutLimit',
  'userNotAllowedHere',
] as const satisfies readonly FaultName[]

/** The same with the ID of a flag or of a type in the path. */
export const flagActivityByIdFaults = [
  ...flagActivityFaults,
  'idMalformed',
] as const satisfies readonly FaultName[]
