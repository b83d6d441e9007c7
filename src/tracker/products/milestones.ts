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

export const createMilestone = operation(
  {
    method: 'POST',
    path: '/product/:product/milestone',
    summary: 'Add a milestone to a product',
    reference: 'products.md#add-a-milestone',
    input: createPartInput,
    output: z.strictObject({ id: z.int() }),
    faults: createPartFaults,
    requires: partEditors('milestone'),
    scope: 'write',
    status: 201,
  },
  (ctx, input) => createPart(ctx, 'milestone', input),
)

/** Renames, sorts, closes or reopens a milestone; bugs keep it. */
export const updateMilestone = operation(
  {
    method: 'PUT',
    path: '/product/:product/milestone/:id_or_name',
    summary: 'Rename, sort, close or reopen a milestone',
    reference: 'products.md#change-a-milestone',
    input: updatePartInput,
    output: z.strictObject({
      milestones: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
    }),
    faults: updatePartFaults,
    requires: partEditors('milestone'),
    scope: 'write',
  },
  async (ctx, input) => ({ milestones: [await updatePart(ctx, 'milestone', input)] }),
)

export const removeMilestone = operation(
  {
    method: 'DELETE',
    path: '/product/:product/milestone/:id_or_name',
    summary: 'Remove a milestone that no bug has',
    reference: 'products.md#remove-a-milestone',
    input: removePartInput,
    output: z.strictObject({ success: z.literal(1) }),
    faults: removePartFaults,
    requires: partEditors('milestone'),
    scope: 'write',
  },
  (ctx, input) => removePart(ctx, 'milestone', input),
)
