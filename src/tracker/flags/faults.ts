import { groupUnknown, productDenied } from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFaults,
  emailInvalid,
  fieldNotChangeable,
  idMalformed,
  offsetWithoutLimit,
} from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../components/faults.ts'
import { userNotAllowedHere, userUnknown } from '../users/faults.ts'

export const {
  flagStatusInvalid,
  flagDenied,
  flagNotRequestable,
  flagNotUnique,
  flagTypeNotUnique,
  flagTypeInactive,
  flagUnnamed,
  flagUnknown,
  flagTypeUnknown,
  tooManyFlags,
  flagTaken,
  requesteeNotAllowed,
  flagTypeIdUnknown,
  flagTypeNameInvalid,
  flagTypeDescriptionMissing,
  flagTypeCcTooLong,
  flagTypeSortKeyInvalid,
  flagTypeNotEditable,
  flagTypesTooMany,
} = defineFaults({
  flagStatusInvalid: [129, "'{status}' is not a status of the flag '{flag}'."],
  flagDenied: [130, "You are not allowed to set the flag '{flag}' to '{status}'."],
  flagNotRequestable: [131, "The flag '{flag}' cannot be requested from a specific person."],
  flagNotUnique: [132, "There are several flags '{flag}' here; give the ID of one."],
  flagTypeNotUnique: [133, "There are several flag types '{flag}' here; give the ID of one."],
  flagTypeInactive: [134, "The flag type '{flag}' is not active."],
  flagUnnamed: [50, "A flag needs one of 'id', 'type_id' and 'name'."],
  flagUnknown: [51, 'There is no flag with the ID {id} here.'],
  flagTypeUnknown: [51, "There is no flag type '{flag}' here."],
  tooManyFlags: [
    32000,
    'This concerns more than {most} flags; leave out fewer components at once, or change the flags of bugs first.',
  ],
  flagTaken: [32000, "The flag '{flag}' is set already; there can be only one."],
  requesteeNotAllowed: [32000, "The flag '{flag}' cannot be asked of '{login}': {reason}."],
  flagTypeIdUnknown: [51, 'There is no flag type with the ID {id}.'],
  flagTypeNameInvalid: [
    1101,
    'The name of a flag type has 1 to {most} characters, no white space and no comma.',
  ],
  flagTypeDescriptionMissing: [1102, 'A flag type needs a description.'],
  flagTypeCcTooLong: [1103, 'The CC list of a flag type may have at most {most} characters.'],
  flagTypeSortKeyInvalid: [
    1104,
    "'sortkey' must be a whole number from 0 to 32767, not '{value}'.",
  ],
  flagTypeNotEditable: [
    1105,
    "You may not edit the flag type '{flag}': it applies to products that are not yours.",
  ],
  flagTypesTooMany: [
    1001,
    'The answer would be too long: one request lists at most {most} {kind}, each again for every component that has it. {advice}, or name fewer products.',
  ],
})

/** Faults of flag entries. */
export const flagEntryFaults: readonly AnyFault[] = [
  flagDenied,
  flagNotRequestable,
  flagNotUnique,
  flagStatusInvalid,
  flagTaken,
  flagTypeInactive,
  flagTypeNotUnique,
  flagTypeUnknown,
  flagUnknown,
  flagUnnamed,
  requesteeNotAllowed,
  userUnknown,
]

/** Faults of listing the flag types of a product or component. */
export const listFlagTypesFaults: readonly AnyFault[] = [productDenied, productPartUnknown]

export const createFlagTypeFaults: readonly AnyFault[] = [
  emailInvalid,
  flagTypeCcTooLong,
  flagTypeDescriptionMissing,
  flagTypeNameInvalid,
  flagTypeNotEditable,
  flagTypeSortKeyInvalid,
  groupUnknown,
  productDenied,
  productPartUnknown,
]

export const updateFlagTypeFaults: readonly AnyFault[] = [
  ...createFlagTypeFaults,
  fieldNotChangeable,
  flagTypeIdUnknown,
  tooManyFlags,
]

/** Faults of listing flag activity. */
export const flagActivityFaults: readonly AnyFault[] = [offsetWithoutLimit, userNotAllowedHere]

/** The same with the ID of a flag or of a type in the path. */
export const flagActivityByIdFaults: readonly AnyFault[] = [...flagActivityFaults, idMalformed]
