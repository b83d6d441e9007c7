import { type AnyFault, defineFault, nameTaken, valueBlank } from '../../platform/faults/fault.ts'

export const statusUnknown = defineFault<{ name: string; hint: string }>(
  'statusUnknown',
  51,
  (d) => `There is no status named '${d.name}'.${d.hint}`,
)
export const fieldUnknown = defineFault<{ field: string }>(
  'fieldUnknown',
  51,
  (d) => `There is no field '${d.field}'.`,
)
export const fieldValueUnknown = defineFault<{ field: string; value: string }>(
  'fieldValueUnknown',
  51,
  (d) => `The field '${d.field}' has no value named '${d.value}'.`,
)
export const productMissing = defineFault('productMissing', 106, 'A product is required.')
export const fieldNotSelect = defineFault<{ field: string }>(
  'fieldNotSelect',
  108,
  (d) => `'${d.field}' is no field with a list of values.`,
)

export const createValueFaults: readonly AnyFault[] = [
  fieldNotSelect,
  fieldUnknown,
  fieldValueUnknown,
  nameTaken,
  statusUnknown,
  valueBlank,
]
