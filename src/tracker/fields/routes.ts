import type { Operation } from '../../platform/http/operations/operation.ts'
import { createField } from './create.ts'
import { getField, getFields } from './get.ts'
import { listLegalValues, listLegalValuesOfProduct } from './legal-values.ts'
import { applyPreset } from './presets/apply.ts'
import { updateField } from './update.ts'
import { createValue } from './value-create.ts'
import { removeValue } from './value-remove.ts'
import { updateValue } from './value-update.ts'

export const fieldOperations: Operation[] = [
  getFields,
  getField,
  listLegalValues,
  listLegalValuesOfProduct,
  createField,
  updateField,
  createValue,
  applyPreset,
  updateValue,
  removeValue,
]
