import { groupUnknown, productDenied, tooManyBugs } from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFaults,
  nameTaken,
  objectInUse,
  valueBlank,
} from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../components/faults.ts'

export const {
  groupControlInvalid,
  classificationUnknown,
  productNameBlank,
  productNameTooLong,
  productNameTaken,
  productsNotOneName,
  productDescriptionMissing,
  classificationMissing,
  defaultMilestoneMissing,
  defaultVersionMissing,
} = defineFaults({
  groupControlInvalid: [51, "'{field}' {reason}."],
  classificationUnknown: [51, "There is no classification named '{name}'."],
  productNameBlank: [700, 'A product needs a name.'],
  productNameTooLong: [701, 'The name of a product may have at most {most} characters.'],
  productNameTaken: [702, "There is a product named '{name}' already."],
  productsNotOneName: [702, 'Several products cannot be given one name.'],
  productDescriptionMissing: [703, 'A product needs a description.'],
  classificationMissing: [
    50,
    ({ names }: { names: string }) =>
      `The parameter 'classification' is required${names === '' ? '' : `, one of: ${names}`}.`,
  ],
  defaultMilestoneMissing: [705, 'A product needs a default milestone of its own.'],
  defaultVersionMissing: [706, 'A product needs a default version of its own.'],
})

/** Faults of the name and description of a product. */
const productTextFaults: readonly AnyFault[] = [
  productDescriptionMissing,
  productNameBlank,
  productNameTaken,
  productNameTooLong,
]

export const createProductFaults: readonly AnyFault[] = [
  ...productTextFaults,
  classificationMissing,
  classificationUnknown,
  valueBlank,
]

export const updateProductFaults: readonly AnyFault[] = [
  ...productTextFaults,
  defaultMilestoneMissing,
  defaultVersionMissing,
  productDenied,
  productsNotOneName,
]

export const createPartFaults: readonly AnyFault[] = [nameTaken, productDenied, valueBlank]

export const updatePartFaults: readonly AnyFault[] = [...createPartFaults, productPartUnknown]

export const removePartFaults: readonly AnyFault[] = [
  objectInUse,
  productDenied,
  productPartUnknown,
]

export const setControlFaults: readonly AnyFault[] = [
  groupControlInvalid,
  groupUnknown,
  productDenied,
  tooManyBugs,
]
