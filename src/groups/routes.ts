import { type Operation, operation } from '../http/operation.ts'
import { createGroup, createGroupInput, createGroupOutput } from './create.ts'
import { getGroupInput, getGroups, getGroupsInput, getGroupsOutput } from './get.ts'
import { getGrants, getGrantsInput, getGrantsOutput } from './grants.ts'
import { updateGroupInput, updateGroupOutput, updateGroups } from './update.ts'
import { updateGrants, updateGrantsInput, updateGrantsOutput } from './update-grants.ts'

export const groupOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/group',
      summary: 'Read groups, and who belongs to them',
      heading: 'Groups',
      input: getGroupsInput,
      output: getGroupsOutput,
      login: true,
    },
    getGroups,
  ),
  operation(
    {
      method: 'GET',
      path: '/group/:id_or_name',
      summary: 'Read one group, and who belongs to it',
      heading: 'Groups',
      input: getGroupInput,
      output: getGroupsOutput,
      login: true,
    },
    getGroups,
  ),
  operation(
    {
      method: 'POST',
      path: '/group',
      summary: 'Create a group that bugs can be restricted to',
      heading: 'Groups',
      input: createGroupInput,
      output: createGroupOutput,
      status: 201,
      login: true,
    },
    createGroup,
  ),
  operation(
    {
      method: 'PUT',
      path: '/group/:id_or_name',
      summary: 'Change groups',
      heading: 'Groups',
      input: updateGroupInput,
      output: updateGroupOutput,
      login: true,
    },
    updateGroups,
  ),
  operation(
    {
      method: 'GET',
      path: '/group/:group/grants',
      summary: 'Read which groups get something from a group',
      heading: 'Groups',
      input: getGrantsInput,
      output: getGrantsOutput,
      login: true,
    },
    getGrants,
  ),
  operation(
    {
      method: 'PUT',
      path: '/group/:group/grants',
      summary: 'Include groups in a group, or let them hand it out or see it',
      heading: 'Groups',
      input: updateGrantsInput,
      output: updateGrantsOutput,
      login: true,
    },
    updateGrants,
  ),
]
