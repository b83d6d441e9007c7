import { type Operation, operation } from '../http/operation.ts'
import {
  getClassificationInput,
  getClassifications,
  getClassificationsInput,
  getClassificationsOutput,
} from './classification.ts'
import {
  createClassification,
  createClassificationInput,
  createClassificationOutput,
  removeClassification,
  removeClassificationInput,
  removeClassificationOutput,
  updateClassification,
  updateClassificationInput,
  updateClassificationOutput,
} from './classification-edits.ts'
import { createProduct, createProductInput, createProductOutput } from './create.ts'
import { getProductInput, getProducts, getProductsInput, getProductsOutput } from './get.ts'
import {
  listControls,
  listControlsInput,
  listControlsOutput,
  setControl,
  setControlInput,
  setControlOutput,
} from './group-controls.ts'
import {
  createMilestone,
  createMilestoneOutput,
  removeMilestone,
  removeMilestoneOutput,
  updateMilestone,
  updateMilestoneOutput,
} from './milestones.ts'
import { createPartInput, removePartInput, updatePartInput } from './parts.ts'
import {
  accessibleProducts,
  enterableProducts,
  reachableInput,
  reachableOutput,
  selectableProducts,
} from './reachable.ts'
import { updateProduct, updateProductInput, updateProductOutput } from './update.ts'
import {
  createVersion,
  createVersionOutput,
  removeVersion,
  removeVersionOutput,
  updateVersion,
  updateVersionOutput,
} from './versions.ts'

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
      method: 'POST',
      path: '/product',
      summary: 'Create a product with its default version and milestone',
      heading: 'Products',
      input: createProductInput,
      output: createProductOutput,
      status: 201,
      login: true,
    },
    createProduct,
  ),
  operation(
    {
      method: 'PUT',
      path: '/product/:id_or_name',
      summary: 'Change products',
      heading: 'Products',
      input: updateProductInput,
      output: updateProductOutput,
      login: true,
    },
    updateProduct,
  ),
  operation(
    {
      method: 'POST',
      path: '/product/:product/version',
      summary: 'Add a version to a product',
      heading: 'Structure of products',
      input: createPartInput,
      output: createVersionOutput,
      status: 201,
      login: true,
    },
    createVersion,
  ),
  operation(
    {
      method: 'PUT',
      path: '/product/:product/version/:id_or_name',
      summary: 'Rename, sort, close or reopen a version',
      heading: 'Structure of products',
      input: updatePartInput,
      output: updateVersionOutput,
      login: true,
    },
    updateVersion,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/product/:product/version/:id_or_name',
      summary: 'Remove a version that no bug has',
      heading: 'Structure of products',
      input: removePartInput,
      output: removeVersionOutput,
      login: true,
    },
    removeVersion,
  ),
  operation(
    {
      method: 'POST',
      path: '/product/:product/milestone',
      summary: 'Add a milestone to a product',
      heading: 'Structure of products',
      input: createPartInput,
      output: createMilestoneOutput,
      status: 201,
      login: true,
    },
    createMilestone,
  ),
  operation(
    {
      method: 'PUT',
      path: '/product/:product/milestone/:id_or_name',
      summary: 'Rename, sort, close or reopen a milestone',
      heading: 'Structure of products',
      input: updatePartInput,
      output: updateMilestoneOutput,
      login: true,
    },
    updateMilestone,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/product/:product/milestone/:id_or_name',
      summary: 'Remove a milestone that no bug has',
      heading: 'Structure of products',
      input: removePartInput,
      output: removeMilestoneOutput,
      login: true,
    },
    removeMilestone,
  ),
  operation(
    {
      method: 'GET',
      path: '/product/:product/group_control',
      summary: 'List what groups mean in a product',
      heading: 'Structure of products',
      input: listControlsInput,
      output: listControlsOutput,
      login: true,
    },
    listControls,
  ),
  operation(
    {
      method: 'PUT',
      path: '/product/:product/group_control/:group',
      summary: 'Say what a group means in a product',
      heading: 'Structure of products',
      input: setControlInput,
      output: setControlOutput,
      login: true,
    },
    setControl,
  ),
  operation(
    {
      method: 'POST',
      path: '/classification',
      summary: 'Create a classification',
      heading: 'Structure of products',
      input: createClassificationInput,
      output: createClassificationOutput,
      status: 201,
      login: true,
    },
    createClassification,
  ),
  operation(
    {
      method: 'PUT',
      path: '/classification/:id_or_name',
      summary: 'Rename, describe or sort a classification',
      heading: 'Structure of products',
      input: updateClassificationInput,
      output: updateClassificationOutput,
      login: true,
    },
    updateClassification,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/classification/:id_or_name',
      summary: 'Remove a classification without products',
      heading: 'Structure of products',
      input: removeClassificationInput,
      output: removeClassificationOutput,
      login: true,
    },
    removeClassification,
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
