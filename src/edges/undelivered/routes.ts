import { notAuthorized } from '../../platform/access/faults.ts'
import { offsetWithoutLimit } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { undeliveredUnknown } from './faults.ts'
import {
  assertMaySeeUndelivered,
  listUndelivered,
  listUndeliveredInput,
  listUndeliveredOutput,
} from './list.ts'
import { retryUndelivered, retryUndeliveredInput, retryUndeliveredOutput } from './retry.ts'

export const undeliveredOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/undelivered',
      summary: 'List mails, calls of webhooks, pushes and reminders that did not get through',
      reference: 'undelivered.md#list-what-did-not-get-through',
      input: listUndeliveredInput,
      output: listUndeliveredOutput,
      faults: [notAuthorized, offsetWithoutLimit],
      login: true,
      right: assertMaySeeUndelivered,
    },
    listUndelivered,
  ),
  operation(
    {
      method: 'POST',
      path: '/undelivered/:id/retry',
      summary: 'Send again what did not get through',
      reference: 'undelivered.md#send-again',
      input: retryUndeliveredInput,
      output: retryUndeliveredOutput,
      faults: [notAuthorized, undeliveredUnknown],
      login: true,
      right: assertMaySeeUndelivered,
    },
    retryUndelivered,
  ),
]
