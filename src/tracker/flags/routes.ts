import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import {
  activityOfFlagInput,
  activityOfPersonInput,
  activityOfTypeInput,
  activityOfTypeNameInput,
  flagActivityInput,
  flagActivityOutput,
  getActivityOfFlag,
  getActivityOfRequestee,
  getActivityOfSetter,
  getActivityOfType,
  getActivityOfTypeName,
  getFlagActivity,
} from './activity.ts'
import {
  createFlagTypeFaults,
  flagActivityByIdFaults,
  flagActivityFaults,
  listFlagTypesFaults,
  updateFlagTypeFaults,
} from './faults.ts'
import {
  assertMayCreateFlagType,
  createFlagType,
  createFlagTypeInput,
  createFlagTypeOutput,
} from './types/create.ts'
import {
  listComponentFlagTypesInput,
  listFlagTypes,
  listFlagTypesInput,
  listFlagTypesOutput,
} from './types/list.ts'
import {
  assertMayUpdateFlagTypes,
  updateFlagTypeInput,
  updateFlagTypeOutput,
  updateFlagTypes,
} from './types/update.ts'

/** Clients use both spellings of the path. */
const listOperations = ['/flag_type', '/flag_types'].flatMap((path) => [
  operation(
    {
      method: 'GET',
      path: `${path}/:id_or_name`,
      summary: 'Read the flag types of a product',
      reference: 'flag-types.md#get-flag-types',
      input: listFlagTypesInput,
      output: listFlagTypesOutput,
      faults: listFlagTypesFaults,
    },
    listFlagTypes,
  ),
  operation(
    {
      method: 'GET',
      path: `${path}/:id_or_name/:component{.+}`,
      summary: 'Read the flag types of a component',
      reference: 'flag-types.md#get-flag-types',
      input: listComponentFlagTypesInput,
      output: listFlagTypesOutput,
      faults: listFlagTypesFaults,
    },
    listFlagTypes,
  ),
])

export const flagOperations: Operation[] = [
  ...listOperations,
  operation(
    {
      method: 'POST',
      path: '/flag_type',
      summary: 'Create a flag type',
      reference: 'flag-types.md#create-a-flag-type',
      input: createFlagTypeInput,
      output: createFlagTypeOutput,
      faults: createFlagTypeFaults,
      status: 201,
      login: true,
      right: assertMayCreateFlagType,
    },
    createFlagType,
  ),
  operation(
    {
      method: 'PUT',
      path: '/flag_type/:id_or_name',
      summary: 'Change flag types',
      reference: 'flag-types.md#change-flag-types',
      input: updateFlagTypeInput,
      output: updateFlagTypeOutput,
      faults: updateFlagTypeFaults,
      login: true,
      right: assertMayUpdateFlagTypes,
    },
    updateFlagTypes,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity',
      summary: 'Read what happened to flags',
      reference: 'flags.md#list-flag-activity',
      input: flagActivityInput,
      output: flagActivityOutput,
      faults: flagActivityFaults,
    },
    getFlagActivity,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity/:flag_id',
      summary: 'Read what happened to one flag',
      reference: 'flags.md#list-flag-activity',
      input: activityOfFlagInput,
      output: flagActivityOutput,
      faults: flagActivityByIdFaults,
    },
    getActivityOfFlag,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity/requestee/:login',
      summary: 'Read what happened to flags asked of somebody',
      reference: 'flags.md#list-flag-activity',
      input: activityOfPersonInput,
      output: flagActivityOutput,
      faults: flagActivityFaults,
    },
    getActivityOfRequestee,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity/setter/:login',
      summary: 'Read what happened to flags set by somebody',
      reference: 'flags.md#list-flag-activity',
      input: activityOfPersonInput,
      output: flagActivityOutput,
      faults: flagActivityFaults,
    },
    getActivityOfSetter,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity/type_id/:type_id',
      summary: 'Read what happened to the flags of a type',
      reference: 'flags.md#list-flag-activity',
      input: activityOfTypeInput,
      output: flagActivityOutput,
      faults: flagActivityByIdFaults,
    },
    getActivityOfType,
  ),
  operation(
    {
      method: 'GET',
      path: '/review/flag_activity/type_name/:type_name{.+}',
      summary: 'Read what happened to the flags of all types of a name',
      reference: 'flags.md#list-flag-activity',
      input: activityOfTypeNameInput,
      output: flagActivityOutput,
      faults: flagActivityFaults,
    },
    getActivityOfTypeName,
  ),
]
