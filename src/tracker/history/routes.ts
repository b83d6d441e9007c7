import { bugAccessFaults } from '../../platform/access/faults.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { bugHistoryInput, bugHistoryOutput, getBugHistory } from './get.ts'

export const historyOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug/:id_or_alias/history',
      summary: 'Read the history of bugs',
      reference: 'history.md#get-the-history-of-bugs',
      input: bugHistoryInput,
      output: bugHistoryOutput,
      faults: bugAccessFaults,
    },
    getBugHistory,
  ),
]
