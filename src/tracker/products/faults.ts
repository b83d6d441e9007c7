import { groupUnknown, productDenied, tooManyBugs } from '../../platform/access/faults.ts'
import {
  type AnyFault,
  defineFault,
  nameTaken,
  objectInUse,
  valueBlank,
} from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../components/faults.ts'

export const groupControlInvalid = defineFault<{ field: string; reason: string }>(
  'groupControlInvalid',
  51,
  (d) => `'${d.field}' ${d.reason}.`,
)
export const classificationUnknown = defineFault<{ name: string }>(
  'classificationUnknown',
  51,
  (d) => `There is no classification named '${d.name}'.`,
)
export const productNameBlank = defineFault('productNameBlank', 700, 'A product needs a name.')
export const productNameTooLong = defineFault<{ most: number }>(
  'productNameTooLong',
  701,
  (d) => `The name of a product may have at most ${d.most} characters.`,
)
export const productNameTaken = defineFault<{ name: string }>(
  'productNameTaken',
  702,
  (d) => `There is a product named '${d.name}' already.`,
)
export const productsNotOneName = defineFault(
  'productsNotOneName',
  702,
  'Several products cannot be given one name.',
)
export const productDescriptionMissing = defineFault(
  'productDescriptionMissing',
  703,
  'A product needs a description.',
)
export const classificationMissing = defineFault<{ names: string }>(
  'classificationMissing',
  50,
  ({ names }) =>
    `The parameter 'classification' is required${names === '' ? '' : `, one of: ${names}`}.`,
)
export const defaultMilestoneMissing = defineFault(
  'defaultMilestoneMissing',
  705,
  'A product needs a default milestone of its own.',
)
export const defaultVersionMissing = defineFault(
  'defaultVersionMissing',
  706,
  'A product needs a default version of its own.',
)

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
