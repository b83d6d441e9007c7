import { type Operation, operation } from '../http/operation.ts'
import {
  getClassificationInput,
  getClassifications,
  getClassificationsInput,
  getClassificationsOutput,
} from './classification.ts'
import { getProductInput, getProducts, getProductsInput, getProductsOutput } from './get.ts'
import {
  accessibleProducts,
  enterableProducts,
  reachableInput,
  reachableOutput,
  selectableProducts,
} from './reachable.ts'

export const productOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/product_selectable',
      summary: 'List the products whose bugs the caller may search',
      heading: 'Products',
      input: reachableInput,
      output: reachableOutput,
    },
    selectableProducts,
  ),
  operation(
    {
      method: 'GET',
      path: '/product_enterable',
      summary: 'List the products in which the caller may file bugs',
      heading: 'Products',
      input: reachableInput,
      output: reachableOutput,
    },
    enterableProducts,
  ),
  operation(
    {
      method: 'GET',
      path: '/product_accessible',
      summary: 'List the products that the caller may search or file bugs in',
      heading: 'Products',
      input: reachableInput,
      output: reachableOutput,
    },
    accessibleProducts,
  ),
  operation(
    {
      method: 'GET',
      path: '/product',
      summary: 'Read products with their components, versions and milestones',
      heading: 'Products',
      input: getProductsInput,
      output: getProductsOutput,
    },
    getProducts,
  ),
  operation(
    {
      method: 'GET',
      path: '/product/:id_or_name',
      summary: 'Read one product with its components, versions and milestones',
      heading: 'Products',
      input: getProductInput,
      output: getProductsOutput,
    },
    getProducts,
  ),
  operation(
    {
      method: 'GET',
      path: '/classification',
      summary: 'Read classifications with their products',
      heading: 'Product',
      input: getClassificationsInput,
      output: getClassificationsOutput,
    },
    getClassifications,
  ),
  operation(
    {
      method: 'GET',
      path: '/classification/:id_or_name',
      summary: 'Read one classification with its products',
      heading: 'Product',
      input: getClassificationInput,
      output: getClassificationsOutput,
    },
    getClassifications,
  ),
]
