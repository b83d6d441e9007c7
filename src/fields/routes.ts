import { type Operation, operation } from '../http/operation.ts'
import { getFieldInput, getFields, getFieldsInput, getFieldsOutput } from './get.ts'
import {
  legalValues,
  legalValuesInput,
  legalValuesOfProductInput,
  legalValuesOutput,
} from './legal-values.ts'

export const fieldOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/field/bug',
      summary: 'Read the fields of bugs with their values',
      heading: 'Bug fields',
      input: getFieldsInput,
      output: getFieldsOutput,
    },
    getFields,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:id_or_name',
      summary: 'Read one field of bugs with its values',
      heading: 'Bug fields',
      input: getFieldInput,
      output: getFieldsOutput,
    },
    getFields,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:field/values',
      summary: 'List the names of the values that a select field may have',
      heading: 'Bug fields',
      input: legalValuesInput,
      output: legalValuesOutput,
    },
    legalValues,
  ),
  operation(
    {
      method: 'GET',
      path: '/field/bug/:field/:product_id/values',
      summary: 'List the names of the versions, components or milestones of a product',
      heading: 'Bug fields',
      input: legalValuesOfProductInput,
      output: legalValuesOutput,
    },
    legalValues,
  ),
]
