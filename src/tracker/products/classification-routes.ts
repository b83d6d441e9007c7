import type { Operation } from '../../platform/http/operations/operation.ts'
import { getClassification, getClassifications } from './classification.ts'
import {
  createClassification,
  removeClassification,
  updateClassification,
} from './classification-edits.ts'

export const classificationOperations: Operation[] = [
  createClassification,
  updateClassification,
  removeClassification,
  getClassifications,
  getClassification,
]
