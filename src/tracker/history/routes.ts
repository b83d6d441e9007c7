import type { Operation } from '../../platform/http/operations/operation.ts'
import { getBugHistory } from './get.ts'

export const historyOperations: Operation[] = [getBugHistory]
