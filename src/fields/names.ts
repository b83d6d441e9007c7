import { fold } from '../lib/text.ts'

/** The fields that bugs show under another name than the one their definition is kept under. */
const INTERNAL: ReadonlyMap<string, string> = new Map([
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

const SHOWN = new Map([...INTERNAL].map(([shown, internal]) => [internal, shown]))

/** The name that bugs show a field under: `status` for `bug_status`. Contract "Bug". */
export function shownName(internal: string): string {
  return SHOWN.get(internal) ?? internal
}

/**
 * The internal name of a field, which is always lower case, from that name or the one that bugs show it
 * under, in any case: `bug_status` for `Status`. Contract "Bug fields".
 */
export function internalName(given: string): string {
  const name = fold(given.trim())
  return INTERNAL.get(name) ?? name
}

/** The columns of bugs that hold values of the built-in lists, by the internal names of the fields. */
export const LIST_COLUMNS: Readonly<Record<string, string>> = {
  bug_status: 'status_id',
  resolution: 'resolution_id',
  bug_type: 'type_id',
  priority: 'priority_id',
  bug_severity: 'severity_id',
  rep_platform: 'platform_id',
  op_sys: 'op_sys_id',
}
