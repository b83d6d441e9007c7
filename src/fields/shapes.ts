import * as z from 'zod'
import { limitItems } from '../http/shapes.ts'

/** A Value object of the contract; which of its parts are there depends on the field. */
const valueShape = z
  .strictObject({
    name: z.string(),
    sort_key: z.int(),
    /** The older spelling. */
    sortkey: z.int(),
    visibility_values: z.array(z.string()),
    is_active: z.boolean(),
    description: z.string(),
    is_open: z.boolean(),
    can_change_to: z.array(z.strictObject({ name: z.string(), comment_required: z.boolean() })),
  })
  .partial()

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

/** The Field object of the contract, any part of which a caller may have left out. */
export const fieldShape = wholeFieldShape.partial()

export type Field = z.output<typeof wholeFieldShape>
export type FieldValue = z.output<typeof valueShape>

/** A list whose items are names or objects with a name; one alone is a list of one. Null is absent. */
export function namesOrObjects<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (given) => {
        if (given === undefined || given === null) {
          return undefined
        }
        return (Array.isArray(given) ? given : [given]).map((one) =>
          typeof one === 'object' ? one : { name: one },
        )
      },
      limitItems(z.array(item).optional()),
    )
    .meta({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'object', required: ['name'] }] },
    })
}
