import * as z from 'zod'
import {
  boolean,
  clearableText,
  limitItems,
  limitLength,
  names,
  sortKey,
  text,
} from '../../platform/http/operations/shapes.ts'

const wholeComponentShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  default_bug_type: z.string(),
  default_assignee: z.string(),
  default_qa_contact: z.string(),
  triage_owner: z.string(),
  team_name: z.string(),
  bug_description_template: z.string(),
})

export type Component = z.output<typeof wholeComponentShape>

/** The Component object, any member of which a caller may leave out. */
export const componentShape = wholeComponentShape.partial()

/** The values of a component that create and update accept. */
export const componentValues = {
  description: limitLength(text()),
  default_assignee: text(),
  default_qa_contact: clearableText(),
  default_bug_type: clearableText(),
  triage_owner: clearableText(),
  team_name: limitLength(text()),
  bug_description_template: limitLength(clearableText()),
  is_active: boolean(),
  sort_key: sortKey(),
  /** Logins of people who are put on the CC list of every new bug. */
  default_cc: limitItems(names()),
}

/** The values of a component, with its name. */
export type ComponentInput = Partial<z.output<z.ZodObject<typeof componentValues>>> & {
  name?: string | undefined
}
