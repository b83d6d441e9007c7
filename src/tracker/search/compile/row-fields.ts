import type { CompileContext } from './compile-context.ts'
import { ATTACHMENT_FIELDS } from './fields/attachments.ts'
import { COMMENT_FIELDS } from './fields/comments.ts'
import { FLAG_FIELDS } from './fields/flags.ts'
import { LINK_FIELDS } from './fields/links.ts'
import { SET_FIELDS } from './fields/sets.ts'
import type { RowValues } from './row-values.ts'

/** The fields of which a bug has any number of values. Reference: search.md, "Search fields". */
export const ROW_FIELDS: Readonly<
  Record<string, (context: CompileContext) => RowValues | undefined>
> = {
  ...COMMENT_FIELDS,
  ...ATTACHMENT_FIELDS,
  ...FLAG_FIELDS,
  ...LINK_FIELDS,
  ...SET_FIELDS,
}
