import { notAuthorized, productDenied } from '../../platform/access/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import {
  nameTaken,
  objectInUse,
  objectProtected,
  valueBlank,
} from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { assertMayCreateField, createField, createFieldInput, createFieldOutput } from './create.ts'
import {
  fieldNotSelect,
  fieldUnknown,
  fieldValueUnknown,
  productMissing,
  statusUnknown,
} from './faults.ts'
import { getFieldInput, getFields, getFieldsInput, getFieldsOutput } from './get.ts'
import {
  legalValuesInput,
  legalValuesOfProductInput,
  legalValuesOutput,
  listLegalValues,
} from './legal-values.ts'
import {
  applyPreset,
  applyPresetInput,
  applyPresetOutput,
  assertMayApplyPreset,
} from './presets/apply.ts'
import { assertMayUpdateField, updateField, updateFieldInput, updateFieldOutput } from './update.ts'
import {
  assertMayCreateValue,
  createValue,
  createValueInput,
  createValueOutput,
} from './value-create.ts'
import {
  assertMayRemoveValue,
  removeValue,
  removeValueInput,
  removeValueOutput,
} from './value-remove.ts'
import {
  assertMayUpdateValue,
  updateValue,
  updateValueInput,
  updateValueOutput,
} from './value-update.ts'

const createValueFaults: readonly AnyFault[] = [
  fieldNotSelect,
  fieldUnknown,
  fieldValueUnknown,
  nameTaken,
  notAuthorized,
  statusUnknown,
  valueBlank,
]

export const fieldOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/field/bug',
      summary: 'Read the fields of bugs with their values',
      reference: 'fields.md#get-fields',
      input: getFieldsInput,
      output: getFieldsOutput,
      faults: [fieldUnknown],
    },
    getFields,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:id_or_name',
      summary: 'Read one field of bugs with its values',
      reference: 'fields.md#get-fields',
      input: getFieldInput,
      output: getFieldsOutput,
      faults: [fieldUnknown],
    },
    getFields,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:field/values',
      summary: 'List the names of the values that a select field may have',
      reference: 'fields.md#list-legal-values',
      input: legalValuesInput,
      output: legalValuesOutput,
      faults: [fieldNotSelect, productMissing],
    },
    listLegalValues,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:field/:product_id/values',
      summary: 'List the names of the versions, components or milestones of a product',
      reference: 'fields.md#list-legal-values',
      input: legalValuesOfProductInput,
      output: legalValuesOutput,
      faults: [fieldNotSelect, productDenied],
    },
    listLegalValues,
  ),
  operation(
    {
      method: 'POST',
      path: '/field/bug',
      summary: 'Create a custom field',
      reference: 'fields.md#create-a-custom-field',
      input: createFieldInput,
      output: createFieldOutput,
      faults: [fieldUnknown, fieldValueUnknown, nameTaken, notAuthorized, valueBlank],
      status: 201,
      login: true,
      right: assertMayCreateField,
    },
    createField,
  ),
  operation(
    {
      method: 'PUT',
      path: '/field/bug/:id_or_name',
      summary: 'Change a custom field',
      reference: 'fields.md#change-a-custom-field',
      input: updateFieldInput,
      output: updateFieldOutput,
      faults: [
        fieldUnknown,
        fieldValueUnknown,
        nameTaken,
        notAuthorized,
        objectProtected,
        valueBlank,
      ],
      login: true,
      right: assertMayUpdateField,
    },
    updateField,
  ),
  operation(
    {
      method: 'POST',
      path: '/field/bug/:field/values',
      summary: 'Add a value to a field with a list of them',
      reference: 'fields.md#add-a-value-to-a-field',
      input: createValueInput,
      output: createValueOutput,
      faults: createValueFaults,
      status: 201,
      login: true,
      right: assertMayCreateValue,
    },
    createValue,
  ),
  operation(
    {
      method: 'PUT',
      path: '/workflow',
      summary: 'Add the statuses and moves of a workflow preset',
      reference: 'fields.md#add-a-workflow-preset',
      input: applyPresetInput,
      output: applyPresetOutput,
      faults: [notAuthorized, objectProtected, valueBlank],
      login: true,
      right: assertMayApplyPreset,
    },
    applyPreset,
  ),
  operation(
    {
      method: 'PUT',
      path: '/field/bug/:field/values/:value{.+}',
      summary: 'Change a value of a field, or where a status leads',
      reference: 'fields.md#change-a-value-of-a-field',
      input: updateValueInput,
      output: updateValueOutput,
      faults: [...createValueFaults, objectProtected],
      login: true,
      right: assertMayUpdateValue,
    },
    updateValue,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/field/bug/:field/values/:value{.+}',
      summary: 'Remove a value that nothing uses',
      reference: 'fields.md#remove-a-value-of-a-field',
      input: removeValueInput,
      output: removeValueOutput,
      faults: [
        fieldNotSelect,
        fieldUnknown,
        fieldValueUnknown,
        notAuthorized,
        objectInUse,
        objectProtected,
      ],
      login: true,
      right: assertMayRemoveValue,
    },
    removeValue,
  ),
]
