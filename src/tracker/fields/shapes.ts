import * as z from 'zod'
import { limitItems } from '../../platform/http/operations/shapes.ts'

/** The field decides which parts a value has. */
const valueShape = z
  .strictObject({
    name: z.string(),
    sort_key: z.int(),
    /** The older name of `sort_key`. */
    sortkey: z.int(),
    visibility_values: z.array(z.string()),
    is_active: z.boolean(),
    description: z.string(),
    is_open: z.boolean(),
    can_change_to: z.array(z.strictObject({ name: z.string(), comment_required: z.boolean() })),
  })
  .partial()
  .meta({ title: 'FieldValue' })

const wholeFieldShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  display_name: z.string(),
  type: z.int(),
  is_custom: z.boolean(),
  is_mandatory: z.boolean(),
  is_on_bug_entry: z.boolean(),
  visibility_field: z.string().nullable(),
  visibility_values: z.array(z.string()),
  value_field: z.string().nullable(),
  values: z.array(valueShape),
})

/** The selection of fields may leave out any part. */
export const fieldShape = wholeFieldShape.partial().meta({ title: 'Field' })

export type Field = z.output<typeof wholeFieldShape>
export type FieldValue = z.output<typeof valueShape>

/** A list of names, or of objects with a name; a single item is a list of one, and null is absent. */
export function namesOrObjects<Item extends z.ZodType>(item: Item) {
  const described = item.meta({ shortForm: { type: 'string' } })
  return z.preprocess(
    (input) => {
      if (input === undefined || input === null) {
        return undefined
      }
      return (Array.isArray(input) ? input : [input]).map((value) =>
        typeof value === 'object' ? value : { name: value },
      )
    },
    limitItems(z.array(described).optional()),
  )
}
