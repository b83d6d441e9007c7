import * as z from 'zod'
import type { Selection } from '../../platform/lib/selection.ts'

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

/** Versions and milestones have the same shape. */
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

const releaseShape = versionShape.partial().meta({ title: 'Release' })

/** The selection of fields may leave out any part. */
export const productShape = wholeProductShape
  .extend({
    components: z.array(componentShape.partial().meta({ title: 'ProductComponent' })),
    versions: z.array(releaseShape),
    milestones: z.array(releaseShape),
  })
  .partial()
  .meta({ title: 'Product' })

export type Product = z.output<typeof wholeProductShape>
export type FlagType = z.output<typeof flagTypeShape>

const ALL_FIELDS = {
  ...markKeys(wholeProductShape),
  components: markKeys(componentShape),
  versions: markKeys(versionShape),
  milestones: markKeys(versionShape),
}

/** The fields and sub-fields of a product that a request asks for; others need not be read. */
export type RequestedProductFields = {
  readonly [Field in keyof typeof ALL_FIELDS]?: (typeof ALL_FIELDS)[Field] extends true
    ? true
    : Partial<(typeof ALL_FIELDS)[Field]>
}

export function findRequestedFields(selection: Selection): RequestedProductFields {
  return selection.prune(ALL_FIELDS)
}

function markKeys<Shape extends z.core.$ZodLooseShape>(
  object: z.ZodObject<Shape>,
): Record<keyof Shape, true> {
  const keys = Object.keys(object.shape).map((key) => [key, true])
  return Object.fromEntries(keys) as Record<keyof Shape, true>
}
