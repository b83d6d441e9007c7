import * as z from 'zod'
import { fault } from '../../faults.ts'
import { flagInputs } from '../../flags/input.ts'
import { clearableText, flag, names, text } from '../../http/shapes.ts'
import { delimited, words } from '../edits/history-values.ts'
import { listsOfNewBug } from '../edits/input.ts'
import { internalNames } from '../model/legacy-names.ts'

/** An alias, also as a list of one, as some clients know it. */
export function aliasText() {
  return z
    .preprocess(
      (value) => (Array.isArray(value) && value.length < 2 ? (value[0] ?? null) : value),
      clearableText(),
    )
    .meta({ type: ['string', 'null'] })
}

/** Hours: a number, or its digits. What is none is for the verb to say. */
export function hours() {
  return z.unknown().meta({ type: 'number' }).optional()
}

export const fileBugInput = z
  .object({
    product: text(),
    component: text(),
    summary: text(),
    version: text(),
    description: text(),
    comment: text(),
    comment_is_private: flag(),
    comment_tags: names(),
    flags: flagInputs(),
    type: text(),
    priority: text(),
    severity: text(),
    platform: text(),
    op_sys: text(),
    alias: aliasText(),
    assigned_to: text(),
    qa_contact: text(),
    cc: words(/[\s,;]+/),
    status: text(),
    resolution: text(),
    target_milestone: text(),
    groups: delimited(/,/),
    keywords: words(/[\s,]+/),
    ...listsOfNewBug,
    url: text(),
    whiteboard: text(),
    is_cc_accessible: flag(),
    is_creator_accessible: flag(),
    filed_via: text(),
    deadline: text(),
    estimated_time: hours(),
    remaining_time: hours(),
    ...internalNames(text),
  })
  .catchall(z.unknown())

export type FileBugInput = z.output<typeof fileBugInput>

/** What a client may send along though the service decides it, or though it is no field of a new bug. */
const IGNORED = new Set(
  [
    'id id_or_alias creator reporter creation_time last_change_time last_change_time_non_bot',
    'is_confirmed is_open classification triage_owner comment_count counts dupe_of duplicates actual_time',
    'history update_token attachment_id login password callback permissive column_list',
    'include_fields exclude_fields tags comments attachments',
  ].flatMap((line) => line.split(' ')),
)

/** Fault 53 naming the first key that is no field of a new bug. Contract "Errors", Create Bug. */
export function refuseUnknownKeys(input: FileBugInput): void {
  const isKnown = (key: string) =>
    Object.hasOwn(fileBugInput.shape, key) || IGNORED.has(key) || /_detail$|^cf_\w/i.test(key)
  const unknown = Object.keys(input).find((key) => !isKnown(key))
  if (unknown !== undefined) {
    throw fault('parameterUnknown', { field: unknown.slice(0, 100) })
  }
}
