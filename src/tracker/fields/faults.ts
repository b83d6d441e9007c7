import { type AnyFault, defineFaults, nameTaken, valueBlank } from '../../platform/faults/fault.ts'

export const {
  statusUnknown,
  fieldUnknown,
  fieldValueUnknown,
  productMissing,
  fieldNotSelect,
  valuesTooMany,
} = defineFaults({
  statusUnknown: [51, "There is no status named '{name}'.{hint}"],
  fieldUnknown: [51, "There is no field '{field}'."],
  fieldValueUnknown: [51, "The field '{field}' has no value named '{value}'."],
  productMissing: [106, 'A product is required.'],
  fieldNotSelect: [108, "'{field}' is no field with a list of values."],
  valuesTooMany: [
    1001,
    'The answer would be too long: one request lists at most {most} values of fields, products and parts of products. {advice}.',
  ],
})

export const createValueFaults: readonly AnyFault[] = [
  fieldNotSelect,
  fieldUnknown,
  fieldValueUnknown,
  nameTaken,
  statusUnknown,
  valueBlank,
]
