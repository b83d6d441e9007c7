import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fold } from '../../platform/lib/text.ts'

/** The internal names of fields that have another name in bug objects. */
const INTERNAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['id', 'bug_id'],
  ['summary', 'short_desc'],
  ['status', 'bug_status'],
  ['severity', 'bug_severity'],
  ['type', 'bug_type'],
  ['platform', 'rep_platform'],
  ['url', 'bug_file_loc'],
  ['whiteboard', 'status_whiteboard'],
  ['creator', 'reporter'],
  ['creation_time', 'creation_ts'],
  ['last_change_time', 'delta_ts'],
  ['is_confirmed', 'everconfirmed'],
  ['is_cc_accessible', 'cclist_accessible'],
  ['is_creator_accessible', 'reporter_accessible'],
  ['depends_on', 'dependson'],
  ['blocks', 'blocked'],
  ['regressions', 'regresses'],
  ['dupe_of', 'dup_id'],
  ['groups', 'bug_group'],
  ['comment_count', 'longdescs.count'],
  ['description', 'longdesc'],
])

const PUBLIC_NAMES = new Map(
  [...INTERNAL_NAMES].map(([name, internalName]) => [internalName, name]),
)

/** The name of a field in bug objects: `status` for `bug_status`. Reference: fields.md, "Field names". */
export function toPublicName(internalName: string): string {
  return PUBLIC_NAMES.get(internalName) ?? internalName
}

/**
 * The internal name of a field, in lower case, from its internal or public name in any case: `bug_status` for
 * `Status`. Reference: fields.md, "Field names".
 */
export function toInternalName(text: string): string {
  const name = fold(text.trim())
  return INTERNAL_NAMES.get(name) ?? name
}

/** The columns of `bugs` that store the values of built-in select fields, by internal name. */
export const LIST_COLUMNS: Readonly<Record<string, SQLiteColumn>> = {
  bug_status: bugs.statusId,
  resolution: bugs.resolutionId,
  bug_type: bugs.typeId,
  priority: bugs.priorityId,
  bug_severity: bugs.severityId,
  rep_platform: bugs.platformId,
  op_sys: bugs.opSysId,
}
