import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { uploadsBusy } from '../../platform/http/request/faults.ts'
import {
  codehostBugMissing,
  codehostDisabled,
  codehostEventMalformed,
  codehostEventUnexpected,
  codehostSignatureInvalid,
} from './faults.ts'
import { pullRequestInput, pullRequestOutput, receivePullRequest } from './pull-request.ts'
import { pushInput, pushOutput, receivePush } from './push.ts'

const EVENT_FAULTS = [
  codehostDisabled,
  codehostEventUnexpected,
  codehostSignatureInvalid,
  codehostEventMalformed,
  uploadsBusy,
] as const

export const codehostOperations: Operation[] = [
  operation(
    {
      method: 'POST',
      path: '/codehost/pull_request',
      summary: 'Link a pull request to the bug in its title',
      reference: 'codehost.md#link-a-pull-request',
      input: pullRequestInput,
      output: pullRequestOutput,
      faults: EVENT_FAULTS,
      credentials: 'ignored',
      isSigned: true,
    },
    receivePullRequest,
  ),
  operation(
    {
      method: 'POST',
      path: '/codehost/push_comment',
      summary: 'Comment on the bugs that the commits of a push name, and resolve them',
      reference: 'codehost.md#comment-on-pushes',
      input: pushInput,
      output: pushOutput,
      faults: [...EVENT_FAULTS, codehostBugMissing],
      credentials: 'ignored',
      isSigned: true,
      inQuery: ['no-qe-verify'],
    },
    receivePush,
  ),
]
