import type { Operation } from '../../platform/http/operations/operation.ts'
import { classificationOperations } from './classification-routes.ts'
import { createProduct } from './create.ts'
import { getProduct, getProducts } from './get.ts'
import { listControls, setControl } from './group-controls.ts'
import { createMilestone, removeMilestone, updateMilestone } from './milestones.ts'
import {
  listAccessibleProducts,
  listEnterableProducts,
  listSelectableProducts,
} from './product-lists.ts'
import { updateProduct } from './update.ts'
import { createVersion, removeVersion, updateVersion } from './versions.ts'

export const productOperations: Operation[] = [
  listSelectableProducts,
  listEnterableProducts,
  listAccessibleProducts,
  getProducts,
  getProduct,
  createProduct,
  updateProduct,
  createVersion,
  updateVersion,
  removeVersion,
  createMilestone,
  updateMilestone,
  removeMilestone,
  listControls,
  setControl,
  ...classificationOperations,
]
