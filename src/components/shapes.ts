import * as z from 'zod'
import { clearableText, few, flag, names, prose, sortKey, text } from '../http/shapes.ts'

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
  description: prose(text()),
  default_assignee: text(),
  default_qa_contact: clearableText(),
  default_bug_type: clearableText(),
  triage_owner: clearableText(),
  team_name: prose(text()),
  bug_description_template: prose(clearableText()),
  is_active: flag(),
  sort_key: sortKey(),
  /** Logins of people who are put on the CC list of every new bug. */
  default_cc: few(names()),
}

/** The values of a component, with its name. */
export type ComponentInput = Partial<z.output<z.ZodObject<typeof componentValues>>> & {
  name?: string | undefined
}
