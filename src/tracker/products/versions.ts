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

export const createVersionOutput = z.strictObject({ id: z.int() })
export const updateVersionOutput = z.strictObject({
  versions: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})
export const removeVersionOutput = z.strictObject({ success: z.literal(1) })

/** The right to change versions of a product: faults 410 and 304. */
export const assertMayChangeVersions = partRightCheck('version')

/**
 * POST /product/{product}/version: adds a version to a product. Faults 410, 304 without the right to edit
 * the components of the product, 106 for a product that does not exist or is hidden, 50 without a name, 53
 * for one of more than 64 characters, 32000 for one that the product has already.
 * Reference: products.md, "Add a version".
 */
export function createVersion(ctx: Ctx, input: z.output<typeof createPartInput>) {
  return createPart(ctx, 'version', input)
}

/**
 * PUT /product/{product}/version/{id_or_name}: renames, sorts, closes or reopens a version; bugs keep it.
 * Faults as for a new one, and 51 for a version that the product does not have.
 * Reference: products.md, "Change a version".
 */
export async function updateVersion(ctx: Ctx, input: z.output<typeof updatePartInput>) {
  return { versions: [await updatePart(ctx, 'version', input)] }
}

/**
 * DELETE /product/{product}/version/{id_or_name}: removes a version. Faults 410, 304, 106, 51, and
 * 32000 for one that is the default or that bugs have. Reference: products.md, "Remove a version".
 */
export function removeVersion(ctx: Ctx, input: z.output<typeof removePartInput>) {
  return removePart(ctx, 'version', input)
}
