import type { Operation } from '../../platform/http/operations/operation.ts'
import { getPreferences } from './get.ts'
import { updatePreferences } from './update.ts'

export const preferencesOperations: Operation[] = [getPreferences, updatePreferences]
