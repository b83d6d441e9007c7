import { notAuthorized } from '../../platform/access/faults.ts'
import { nameTaken, objectInUse, valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import {
  getClassificationInput,
  getClassifications,
  getClassificationsInput,
  getClassificationsOutput,
} from './classification.ts'
import {
  assertMayCreateClassification,
  assertMayRemoveClassification,
  assertMayUpdateClassification,
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
import { classificationUnknown } from './faults.ts'

export const classificationOperations: Operation[] = [
  operation(
    {
      method: 'POST',
      path: '/classification',
      summary: 'Create a classification',
      reference: 'products.md#create-a-classification',
      input: createClassificationInput,
      output: createClassificationOutput,
      faults: [nameTaken, notAuthorized, valueBlank],
      status: 201,
      login: true,
      right: assertMayCreateClassification,
    },
    createClassification,
  ),
  operation(
    {
      method: 'PUT',
      path: '/classification/:id_or_name',
      summary: 'Rename, describe or sort a classification',
      reference: 'products.md#change-a-classification',
      input: updateClassificationInput,
      output: updateClassificationOutput,
      faults: [classificationUnknown, nameTaken, notAuthorized, valueBlank],
      login: true,
      right: assertMayUpdateClassification,
    },
    updateClassification,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/classification/:id_or_name',
      summary: 'Remove a classification without products',
      reference: 'products.md#remove-a-classification',
      input: removeClassificationInput,
      output: removeClassificationOutput,
      faults: [classificationUnknown, notAuthorized, objectInUse],
      login: true,
      right: assertMayRemoveClassification,
    },
    removeClassification,
  ),
  operation(
    {
      method: 'GET',
      path: '/classification',
      summary: 'Read classifications with their products',
      reference: 'products.md#get-classifications',
      input: getClassificationsInput,
      output: getClassificationsOutput,
      faults: [classificationUnknown],
    },
    getClassifications,
  ),
  operation(
    {
      method: 'GET',
      path: '/classification/:id_or_name',
      summary: 'Read one classification with its products',
      reference: 'products.md#get-classifications',
      input: getClassificationInput,
      output: getClassificationsOutput,
      faults: [classificationUnknown],
    },
    getClassifications,
  ),
]
