import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { changesOutput } from '../../platform/http/operations/shapes.ts'
import {
  createPart,
  type createPartInput,
  partRightCheck,
  removePart,
  type removePartInput,
  updatePart,
  type updatePartInput,
} from './parts.ts'

export const createMilestoneOutput = z.strictObject({ id: z.int() })
export const updateMilestoneOutput = z.strictObject({
  milestones: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})
export const removeMilestoneOutput = z.strictObject({ success: z.literal(1) })

/** The right to change milestones of a product: faults 410 and 304. */
export const assertMayChangeMilestones = partRightCheck('milestone')

/**
 * POST /product/{product}/milestone: adds a milestone to a product. Faults 410, 304 without the right to edit
 * the components of the product, 106 for a product that does not exist or is hidden, 50 without a name, 53
 * for one of more than 20 characters, 32000 for one that the product has already.
 * Reference: products.md, "Add a milestone".
 */
export function createMilestone(ctx: Ctx, input: z.output<typeof createPartInput>) {
  return createPart(ctx, 'milestone', input)
}

/**
 * PUT /product/{product}/milestone/{id_or_name}: renames, sorts, closes or reopens a milestone; bugs keep it.
 * Faults as for a new one, and 51 for a milestone that the product does not have.
 * Reference: products.md, "Change a milestone".
 */
export async function updateMilestone(ctx: Ctx, input: z.output<typeof updatePartInput>) {
  return { milestones: [await updatePart(ctx, 'milestone', input)] }
}

/**
 * DELETE /product/{product}/milestone/{id_or_name}: removes a milestone. Faults 410, 304, 106, 51, and
 * 32000 for one that is the default or that bugs have. Reference: products.md, "Remove a milestone".
 */
export function removeMilestone(ctx: Ctx, input: z.output<typeof removePartInput>) {
  return removePart(ctx, 'milestone', input)
}
