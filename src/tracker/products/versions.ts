import * as z from 'zod'
import { operation } from '../../platform/http/operations/operation.ts'
import { changesOutput } from '../../platform/http/operations/shapes.ts'
import { createPartFaults, removePartFaults, updatePartFaults } from './faults.ts'
import {
  createPart,
  createPartInput,
  partEditors,
  removePart,
  removePartInput,
  updatePart,
  updatePartInput,
} from './parts.ts'

export const createVersion = operation(
  {
    method: 'POST',
    path: '/product/:product/version',
    summary: 'Add a version to a product',
    reference: 'products.md#add-a-version',
    input: createPartInput,
    output: z.strictObject({ id: z.int() }),
    faults: createPartFaults,
    requires: partEditors('version'),
    scope: 'write',
    status: 201,
  },
  (ctx, input) => createPart(ctx, 'version', input),
)

/** Renames, sorts, closes or reopens a version; bugs keep it. */
export const updateVersion = operation(
  {
    method: 'PUT',
    path: '/product/:product/version/:id_or_name',
    summary: 'Rename, sort, close or reopen a version',
    reference: 'products.md#change-a-version',
    input: updatePartInput,
    output: z.strictObject({
      versions: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
    }),
    faults: updatePartFaults,
    requires: partEditors('version'),
    scope: 'write',
  },
  async (ctx, input) => ({ versions: [await updatePart(ctx, 'version', input)] }),
)

export const removeVersion = operation(
  {
    method: 'DELETE',
    path: '/product/:product/version/:id_or_name',
    summary: 'Remove a version that no bug has',
    reference: 'products.md#remove-a-version',
    input: removePartInput,
    output: z.strictObject({ success: z.literal(1) }),
    faults: removePartFaults,
    requires: partEditors('version'),
    scope: 'write',
  },
  (ctx, input) => removePart(ctx, 'version', input),
)
