import * as z from 'zod'
import type { Selection } from '../lib/selection.ts'

const flagTypeShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  cc_list: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
  is_requestable: z.boolean(),
  is_requesteeble: z.boolean(),
  is_multiplicable: z.boolean(),
  grant_group: z.int().nullable(),
  request_group: z.int().nullable(),
})

const componentShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  default_assigned_to: z.string(),
  default_qa_contact: z.string(),
  triage_owner: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
  default_bug_type: z.string(),
  team_name: z.string(),
  flag_types: z.strictObject({ bug: z.array(flagTypeShape), attachment: z.array(flagTypeShape) }),
})

/** Versions and milestones look alike. */
const versionShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
})

const wholeProductShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  default_bug_type: z.string(),
  default_milestone: z.string(),
  default_version: z.string(),
  has_unconfirmed: z.boolean(),
  classification: z.string(),
  components: z.array(componentShape),
  versions: z.array(versionShape),
  milestones: z.array(versionShape),
})

/** The Product object of the contract, any part of which a caller may have left out. */
export const productShape = wholeProductShape
  .extend({
    components: z.array(componentShape.partial()),
    versions: z.array(versionShape.partial()),
    milestones: z.array(versionShape.partial()),
  })
  .partial()

export type Product = z.output<typeof wholeProductShape>
export type FlagType = z.output<typeof flagTypeShape>

const OUTLINE = {
  ...named(wholeProductShape),
  components: named(componentShape),
  versions: named(versionShape),
  milestones: named(versionShape),
}

/** The fields and sub-fields of a Product that a caller wants; what is missing need not be read. */
export type Wanted = {
  readonly [Field in keyof typeof OUTLINE]?: (typeof OUTLINE)[Field] extends true
    ? true
    : Partial<(typeof OUTLINE)[Field]>
}

/** What a selection leaves of a Product, before one has been read. */
export function wantedBy(selection: Selection): Wanted {
  return selection.prune(OUTLINE)
}

function named<Shape extends z.core.$ZodLooseShape>(
  object: z.ZodObject<Shape>,
): Record<keyof Shape, true> {
  const keys = Object.keys(object.shape).map((key) => [key, true])
  return Object.fromEntries(keys) as Record<keyof Shape, true>
}
