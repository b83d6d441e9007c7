import { bugAccessFaults } from '../../platform/access/faults.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { notInvolved } from './faults.ts'
import { getVisitInput, getVisits, getVisitsInput, getVisitsOutput } from './get.ts'
import { recordVisitInput, recordVisits, recordVisitsInput, recordVisitsOutput } from './record.ts'

export const visitOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug_user_last_visit',
      summary: 'Read which bugs the caller has visited last',
      reference: 'visits.md#list-visits',
      input: getVisitsInput,
      output: getVisitsOutput,
      faults: [],
      login: true,
    },
    getVisits,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug_user_last_visit/:id',
      summary: 'Read when the caller last visited bugs',
      reference: 'visits.md#list-visits',
      input: getVisitInput,
      output: getVisitsOutput,
      faults: [],
      login: true,
    },
    getVisits,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug_user_last_visit',
      summary: 'Record that the caller is visiting bugs',
      reference: 'visits.md#record-visits',
      input: recordVisitsInput,
      output: recordVisitsOutput,
      faults: [...bugAccessFaults, notInvolved],
      login: true,
    },
    recordVisits,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug_user_last_visit/:id',
      summary: 'Record that the caller is visiting a bug',
      reference: 'visits.md#record-visits',
      input: recordVisitInput,
      output: recordVisitsOutput,
      faults: [...bugAccessFaults, notInvolved],
      login: true,
    },
    recordVisits,
  ),
]
