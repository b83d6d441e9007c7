import * as z from 'zod'
import { fault, parameterUnknown } from '../../../platform/faults/fault.ts'
import { boolean, names, text } from '../../../platform/http/operations/shapes.ts'
import { flagInputs } from '../../flags/input.ts'
import { mergeUnique } from '../model/capability.ts'
import { hoursInput } from '../model/hours.ts'
import { legacyNameInputs } from '../model/legacy-names.ts'
import { plainInputs } from '../model/plain-fields.ts'
import { aliasInput } from '../model/text-rules.ts'
import { FILING_CAPABILITIES } from './capabilities.ts'

const ownInput = {
  product: text(),
  component: text(),
  summary: text(),
  version: text(),
  description: text(),
  comment: text(),
  comment_is_private: boolean(),
  comment_tags: names(),
  flags: flagInputs(),
  type: text(),
  priority: text(),
  severity: text(),
  platform: text(),
  op_sys: text(),
  alias: aliasInput(),
  assigned_to: text(),
  qa_contact: text(),
  status: text(),
  resolution: text(),
  target_milestone: text(),
  ...plainInputs(text),
  is_cc_accessible: boolean(),
  is_creator_accessible: boolean(),
  filed_via: text(),
  deadline: text(),
  estimated_time: hoursInput(),
  remaining_time: hoursInput(),
  ...legacyNameInputs(text),
}

/** The type holds the verb's own parameters alone: capabilities know the types of theirs. */
const shape: typeof ownInput = Object.assign(
  {},
  ownInput,
  mergeUnique(FILING_CAPABILITIES.map(({ input }) => input)),
)

export const fileBugInput = z.object(shape).catchall(z.unknown())

export type FileBugInput = z.output<typeof fileBugInput>

/** Parameters that are ignored: the service decides them, or they are no fields of a new bug. */
const IGNORED: ReadonlySet<string> = new Set(
  [
    'id id_or_alias creator reporter creation_time last_change_time last_change_time_non_bot',
    'is_confirmed is_open classification triage_owner comment_count counts dupe_of duplicates actual_time',
    'history update_token attachment_id login password callback permissive column_list',
    'include_fields exclude_fields tags comments attachments',
  ].flatMap((line) => line.split(' ')),
)

/** Refuses the first key that is no field of a new bug. */
export function assertKnownKeys(input: FileBugInput): void {
  const isKnown = (key: string) =>
    Object.hasOwn(fileBugInput.shape, key) || IGNORED.has(key) || /_detail$|^cf_\w/i.test(key)
  const unknown = Object.keys(input).find((key) => !isKnown(key))
  if (unknown !== undefined) {
    throw fault(parameterUnknown, { field: unknown.slice(0, 100) })
  }
}
