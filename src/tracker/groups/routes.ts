import type { Operation } from '../../platform/http/operations/operation.ts'
import { createGroup } from './create.ts'
import { getGroup, getGroups } from './get.ts'
import { getGrants } from './grants.ts'
import { updateGroups } from './update.ts'
import { updateGrants } from './update-grants.ts'

export const groupOperations: Operation[] = [
  getGroups,
  getGroup,
  createGroup,
  updateGroups,
  getGrants,
  updateGrants,
]
