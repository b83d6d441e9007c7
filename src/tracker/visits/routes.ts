import type { Operation } from '../../platform/http/operations/operation.ts'
import { getVisit, getVisits } from './get.ts'
import { recordVisit, recordVisits } from './record.ts'

export const visitOperations: Operation[] = [getVisits, getVisit, recordVisits, recordVisit]
