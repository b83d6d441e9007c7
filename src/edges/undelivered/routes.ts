import type { Operation } from '../../platform/http/operations/operation.ts'
import { listUndelivered } from './list.ts'
import { retryUndelivered } from './retry.ts'

export const undeliveredOperations: Operation[] = [listUndelivered, retryUndelivered]
