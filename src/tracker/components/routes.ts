import type { Operation } from '../../platform/http/operations/operation.ts'
import { createComponent, createComponentByQuery } from './create.ts'
import { getComponent, getComponentByQuery } from './get.ts'
import { updateComponent, updateComponentById, updateComponentByQuery } from './update.ts'

export const componentOperations: Operation[] = [
  getComponent,
  getComponentByQuery,
  updateComponent,
  updateComponentByQuery,
  createComponent,
  updateComponentById,
  createComponentByQuery,
]
