import { productDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFaults, valueBlank } from '../../platform/faults/fault.ts'
import { userUnknown } from '../users/faults.ts'

export const {
  productPartUnknown,
  productPartInactive,
  componentUnknown,
  componentNameTooLong,
  componentNameTaken,
} = defineFaults({
  productPartUnknown: [51, "There is no {kind} named '{name}' in the product '{product}'."],
  productPartInactive: [51, "The {kind} '{name}' of the product '{product}' is not active."],
  componentUnknown: [51, "There is no component with the ID '{id}'."],
  componentNameTooLong: [105, 'The name of a component may have at most 64 characters.'],
  componentNameTaken: [
    1200,
    "There is a component named '{name}' in the product '{product}' already.",
  ],
})

export const createComponentFaults: readonly AnyFault[] = [
  componentNameTaken,
  componentNameTooLong,
  productDenied,
  userUnknown,
  valueBlank,
]
