import { groupUnknown, productDenied } from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFault,
  emailInvalid,
  fieldNotChangeable,
  idMalformed,
  offsetWithoutLimit,
} from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../components/faults.ts'
import { userNotAllowedHere, userUnknown } from '../users/faults.ts'

export const flagStatusInvalid = defineFault<{ flag: string; status: string }>(
  'flagStatusInvalid',
  129,
  (d) => `'${d.status}' is not a status of the flag '${d.flag}'.`,
)
export const flagDenied = defineFault<{ flag: string; status: string }>(
  'flagDenied',
  130,
  (d) => `You are not allowed to set the flag '${d.flag}' to '${d.status}'.`,
)
export const flagNotRequestable = defineFault<{ flag: string }>(
  'flagNotRequestable',
  131,
  (d) => `The flag '${d.flag}' cannot be requested from a specific person.`,
)
export const flagNotUnique = defineFault<{ flag: string }>(
  'flagNotUnique',
  132,
  (d) => `There are several flags '${d.flag}' here; give the ID of one.`,
)
export const flagTypeNotUnique = defineFault<{ flag: string }>(
  'flagTypeNotUnique',
  133,
  (d) => `There are several flag types '${d.flag}' here; give the ID of one.`,
)
export const flagTypeInactive = defineFault<{ flag: string }>(
  'flagTypeInactive',
  134,
  (d) => `The flag type '${d.flag}' is not active.`,
)
export const flagUnnamed = defineFault(
  'flagUnnamed',
  50,
  "A flag needs one of 'id', 'type_id' and 'name'.",
)
export const flagUnknown = defineFault<{ id: number }>(
  'flagUnknown',
  51,
  (d) => `There is no flag with the ID ${d.id} here.`,
)
export const flagTypeUnknown = defineFault<{ flag: string }>(
  'flagTypeUnknown',
  51,
  (d) => `There is no flag type '${d.flag}' here.`,
)
export const flagTaken = defineFault<{ flag: string }>(
  'flagTaken',
  32000,
  (d) => `The flag '${d.flag}' is set already; there can be only one.`,
)
export const requesteeNotAllowed = defineFault<{ flag: string; login: string; reason: string }>(
  'requesteeNotAllowed',
  32000,
  (d) => `The flag '${d.flag}' cannot be asked of '${d.login}': ${d.reason}.`,
)
export const flagTypeIdUnknown = defineFault<{ id: number }>(
  'flagTypeIdUnknown',
  51,
  (d) => `There is no flag type with the ID ${d.id}.`,
)
export const flagTypeNameInvalid = defineFault<{ most: number }>(
  'flagTypeNameInvalid',
  1101,
  (d) => `The name of a flag type has 1 to ${d.most} characters, no white space and no comma.`,
)
export const flagTypeDescriptionMissing = defineFault(
  'flagTypeDescriptionMissing',
  1102,
  'A flag type needs a description.',
)
export const flagTypeCcTooLong = defineFault<{ most: number }>(
  'flagTypeCcTooLong',
  1103,
  (d) => `The CC list of a flag type may have at most ${d.most} characters.`,
)
export const flagTypeSortKeyInvalid = defineFault<{ value: string }>(
  'flagTypeSortKeyInvalid',
  1104,
  (d) => `'sortkey' must be a whole number from 0 to 32767, not '${d.value}'.`,
)
export const flagTypeNotEditable = defineFault<{ flag: string }>(
  'flagTypeNotEditable',
  1105,
  (d) => `You may not edit the flag type '${d.flag}': it applies to products that are not yours.`,
)

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
]

/** Faults of listing flag activity. */
export const flagActivityFaults: readonly AnyFault[] = [offsetWithoutLimit, userNotAllowedHere]

/** The same with the ID of a flag or of a type in the path. */
export const flagActivityByIdFaults: readonly AnyFault[] = [...flagActivityFaults, idMalformed]
