import { type Operation, operation } from '../http/operation.ts'
import { createFlagType, createFlagTypeInput, createFlagTypeOutput } from './create-type.ts'
import {
  listComponentFlagTypesInput,
  listFlagTypes,
  listFlagTypesInput,
  listFlagTypesOutput,
} from './list-types.ts'
import { updateFlagTypeInput, updateFlagTypeOutput, updateFlagTypes } from './update-type.ts'

/** Clients know both spellings of where types are read. */
const lists = ['/flag_type', '/flag_types'].flatMap((path) => [
  operation(
    {
      method: 'GET',
      path: `${path}/:id_or_name`,
      summary: 'Read the flag types of a product',
      heading: 'Flag types',
      input: listFlagTypesInput,
      output: listFlagTypesOutput,
    },
    listFlagTypes,
  ),
  operation(
    {
      method: 'GET',
      path: `${path}/:id_or_name/:component{.+}`,
      summary: 'Read the flag types of a component',
      heading: 'Flag types',
      input: listComponentFlagTypesInput,
      output: listFlagTypesOutput,
    },
    listFlagTypes,
  ),
])

export const flagOperations: Operation[] = [
  ...lists,
  operation(
    {
      method: 'POST',
      path: '/flag_type',
      summary: 'Create a flag type',
      heading: 'Flag types',
      input: createFlagTypeInput,
      output: createFlagTypeOutput,
      status: 201,
      login: true,
    },
    createFlagType,
  ),
  operation(
    {
      method: 'PUT',
      path: '/flag_type/:id_or_name',
      summary: 'Change flag types',
      heading: 'Flag types',
      input: updateFlagTypeInput,
      output: updateFlagTypeOutput,
      login: true,
    },
    updateFlagTypes,
  ),
]
