import type { Operation } from '../../platform/http/operations/operation.ts'
import { receivePullRequest } from './pull-request.ts'
import { receivePush } from './push.ts'

export const codehostOperations: Operation[] = [receivePullRequest, receivePush]
