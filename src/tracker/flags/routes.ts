import { alsoAt, type Operation } from '../../platform/http/operations/operation.ts'
import { flagActivityOperations } from './activity.ts'
import { listFlagRequests } from './requests.ts'
import { createFlagType } from './types/create.ts'
import { listFlagTypes, listFlagTypesOfComponent } from './types/list.ts'
import { updateFlagTypes } from './types/update.ts'

/** Clients use both spellings of the path. */
const inPlural = (operation: Operation): Operation =>
  alsoAt(operation, { ...operation, path: operation.path.replace('/flag_type/', '/flag_types/') })

export const flagOperations: Operation[] = [
  listFlagTypes,
  listFlagTypesOfComponent,
  inPlural(listFlagTypes),
  inPlural(listFlagTypesOfComponent),
  createFlagType,
  updateFlagTypes,
  listFlagRequests,
  ...flagActivityOperations,
]
