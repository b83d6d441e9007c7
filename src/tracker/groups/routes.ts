import { groupUnknown, notAuthorized, tooManyBugs } from '../../platform/access/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { assertMayCreateGroup, createGroup, createGroupInput, createGroupOutput } from './create.ts'
import {
  groupDescriptionMissing,
  groupNameBlank,
  groupNameForSeveral,
  groupNameTaken,
  groupProtected,
  groupRegexpInvalid,
  groupsDenied,
} from './faults.ts'
import { getGroupInput, getGroups, getGroupsInput, getGroupsOutput } from './get.ts'
import { assertMayGetGrants, getGrants, getGrantsInput, getGrantsOutput } from './grants.ts'
import {
  assertMayUpdateGroups,
  updateGroupInput,
  updateGroupOutput,
  updateGroups,
} from './update.ts'
import {
  assertMayUpdateGrants,
  updateGrants,
  updateGrantsInput,
  updateGrantsOutput,
} from './update-grants.ts'

const createGroupFaults: readonly AnyFault[] = [
  groupDescriptionMissing,
  groupNameBlank,
  groupNameTaken,
  groupRegexpInvalid,
  notAuthorized,
]

export const groupOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/group',
      summary: 'Read groups, and who belongs to them',
      reference: 'groups.md#get-groups',
      input: getGroupsInput,
      output: getGroupsOutput,
      faults: [groupUnknown, groupsDenied],
      login: true,
    },
    getGroups,
  ),
  operation(
    {
      method: 'GET',
      path: '/group/:id_or_name',
      summary: 'Read one group, and who belongs to it',
      reference: 'groups.md#get-groups',
      input: getGroupInput,
      output: getGroupsOutput,
      faults: [groupUnknown, groupsDenied],
      login: true,
    },
    getGroups,
  ),
  operation(
    {
      method: 'POST',
      path: '/group',
      summary: 'Create a group that bugs can be restricted to',
      reference: 'groups.md#create-a-group',
      input: createGroupInput,
      output: createGroupOutput,
      faults: createGroupFaults,
      status: 201,
      login: true,
      right: assertMayCreateGroup,
    },
    createGroup,
  ),
  operation(
    {
      method: 'PUT',
      path: '/group/:id_or_name',
      summary: 'Change groups',
      reference: 'groups.md#change-groups',
      input: updateGroupInput,
      output: updateGroupOutput,
      faults: [...createGroupFaults, groupNameForSeveral, groupUnknown, tooManyBugs],
      login: true,
      right: assertMayUpdateGroups,
    },
    updateGroups,
  ),
  operation(
    {
      method: 'GET',
      path: '/group/:group/grants',
      summary: 'Read which groups get something from a group',
      reference: 'groups.md#get-grants',
      input: getGrantsInput,
      output: getGrantsOutput,
      faults: [groupUnknown, notAuthorized],
      login: true,
      right: assertMayGetGrants,
    },
    getGrants,
  ),
  operation(
    {
      method: 'PUT',
      path: '/group/:group/grants',
      summary: 'Include groups in a group, or let them hand it out or see it',
      reference: 'groups.md#change-grants',
      input: updateGrantsInput,
      output: updateGrantsOutput,
      faults: [groupProtected, groupUnknown, notAuthorized],
      login: true,
      right: assertMayUpdateGrants,
    },
    updateGrants,
  ),
]
