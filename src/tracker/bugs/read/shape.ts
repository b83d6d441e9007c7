import * as z from 'zod'
import { attachmentShape } from '../../attachments/present.ts'
import { commentShape } from '../../comments/present.ts'
import { historyEntryShape } from '../../history/present.ts'
import { BUG_FIELDS, type BugField } from './fields.ts'

const bugFields = z.object({
  ...shapesOf(BUG_FIELDS),
  comments: z.array(commentShape),
  history: z.array(historyEntryShape),
  attachments: z.array(attachmentShape),
})

/** The Bug object. Every field may be missing, because callers select. */
export const bugShape = bugFields
  .partial()
  .catchall(z.union([z.string(), z.int(), z.array(z.string()), z.null()]))
  .refine(
    (bug) => Object.keys(bug).every((name) => name in bugFields.shape || name.startsWith('cf_')),
    'has a field that the reference does not know',
  )
  .meta({
    title: 'Bug',
    // an index of all names would have to hold the types of the known ones too
    patternProperties: {
      '^cf_': { type: ['string', 'integer', 'array', 'null'], items: { type: 'string' } },
    },
    additionalProperties: false,
  })

export type BugObject = z.input<typeof bugShape>

function shapesOf<Fields extends Readonly<Record<string, BugField>>>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, { shape }]) => [name, shape])) as {
    [Name in keyof Fields]: Fields[Name]['shape']
  }
}
