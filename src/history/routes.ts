import { bugAccessFaults } from '../access/faults.ts'
import { type Operation, operation } from '../http/operation.ts'
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
