import type { Operation } from '../../platform/http/operations/operation.ts'
import { classificationOperations } from './classification-routes.ts'
import { createProduct } from './create.ts'
import { getProductFigures } from './figures.ts'
import { getProduct, getProducts } from './get.ts'
import { listControls, setControl } from './group-controls.ts'
import { partOperations } from './parts.ts'
import { productListOperations } from './product-lists.ts'
import { updateProduct } from './update.ts'

export const productOperations: Operation[] = [
  ...productListOperations,
  getProducts,
  getProduct,
  getProductFigures,
  createProduct,
  updateProduct,
  ...partOperations,
  listControls,
  setControl,
  ...classificationOperations,
]
