import { BUG_TYPES } from '../../../../platform/db/schema/fields.ts'
import { isLinkingField } from '../../../history/links.ts'
import type { SearchConfiguration } from '../../configuration.ts'

/** What the changes of a field are. */
export type ChangeSource =
  /** The rows of `history` for a field, by its name there. */
  | { readonly kind: 'field'; readonly name: string; readonly namesBugs: boolean }
  /** All rows of `history`. */
  | { readonly kind: 'anything' }
  /** Comments, or those with hours. */
  | { readonly kind: 'comments' | 'work' }
  /** The filing of the bug. */
  | { readonly kind: 'creation' }
  /** The field has no history. */
  | { readonly kind: 'none' }

/**
 * The names that `history` has for fields. A number of things changes with the things. A field that is missing
 * here has no history: it belongs to other records than the bug, or follows from them.
 */
const HISTORY_NAMES: Readonly<Record<string, string>> = {
  alias: 'alias',
  short_desc: 'summary',
  status_whiteboard: 'whiteboard',
  bug_file_loc: 'url',
  product: 'product',
  component: 'component',
  version: 'version',
  target_milestone: 'target_milestone',
  bug_status: 'status',
  resolution: 'resolution',
  bug_type: 'type',
  bug_severity: 'severity',
  priority: 'priority',
  rep_platform: 'platform',
  op_sys: 'op_sys',
  assigned_to: 'assigned_to',
  qa_contact: 'qa_contact',
  cc: 'cc',
  keywords: 'keywords',
  'keywords.count': 'keywords',
  bug_group: 'groups',
  see_also: 'see_also',
  dependson: 'depends_on',
  'dependson.count': 'depends_on',
  blocked: 'blocks',
  'blocked.count': 'blocks',
  regressed_by: 'regressed_by',
  'regressed_by.count': 'regressed_by',
  regresses: 'regressions',
  'regresses.count': 'regressions',
  dup_id: 'dupe_of',
  duplicates: 'duplicates',
  everconfirmed: 'is_confirmed',
  reporter_accessible: 'is_creator_accessible',
  cclist_accessible: 'is_cc_accessible',
  deadline: 'deadline',
  estimated_time: 'estimated_time',
  remaining_time: 'remaining_time',
  comment_tag: 'comment_tag',
  'longdescs.isprivate': 'longdescs.isprivate',
  'attachments.description': 'attachments.description',
  'attachments.filename': 'attachments.filename',
  'attachments.mimetype': 'attachments.mimetype',
  'attachments.ispatch': 'attachments.ispatch',
  'attachments.isobsolete': 'attachments.isobsolete',
  'attachments.isprivate': 'attachments.isprivate',
  'flagtypes.name': 'flagtypes.name',
}

/** Fields whose changes are not what `history` has for one field. */
const OTHER_SOURCES: Readonly<Record<string, ChangeSource>> = {
  anything: { kind: 'anything' },
  creation_ts: { kind: 'creation' },
  longdesc: { kind: 'comments' },
  'longdescs.count': { kind: 'comments' },
  work_time: { kind: 'work' },
}

/** What the changes of the field with this internal search name are. */
export function changeSourceOf(field: string, { customFields }: SearchConfiguration): ChangeSource {
  const custom = customFields.get(field)
  if (custom !== undefined) {
    return { kind: 'field', name: field, namesBugs: BUG_TYPES.includes(custom.type) }
  }
  const name = HISTORY_NAMES[field]
  return name === undefined
    ? (OTHER_SOURCES[field] ?? { kind: 'none' })
    : { kind: 'field', name, namesBugs: isLinkingField(name) }
}
