import type { FaultName } from '../../platform/faults/faults.ts'

/** Faults of the name and description of a product. */
const productTextFaults = [
  'notAuthorized',
  'productDescriptionMissing',
  'productNameBlank',
  'productNameTaken',
  'productNameTooLong',
] as const satisfies readonly FaultName[]

export const createProductFaults = [
  ...productTextFaults,
  'classificationMissing',
  'classificationUnknown',
  'valueBlank',
] as const satisfies readonly FaultName[]

export const updateProductFaults = [
  ...productTextFaults,
  'defaultMilestoneMissing',
  'defaultVersionMissing',
  'productDenied',
  'productsNotOneName',
] as const satisfies readonly FaultName[]

export const createPartFaults = [
  'nameTaken',
  'notAuthorized',
  'productDenied',
  'valueBlank',
] as const satisfies readonly FaultName[]

export const updatePartFaults = [
  ...createPartFaults,
  'productPartUnknown',
] as const satisfies readonly FaultName[]

export const removePartFaults = [
  'notAuthorized',
  'objectInUse',
  'productDenied',
  'productPartUnknown',
] as const satisfies readonly FaultName[]

export const setControlFaults = [
  'groupControlInvalid',
  'groupUnknown',
  'notAuthorized',
  'productDenied',
  'tooManyBugs',
] as const satisfies readonly FaultName[]
