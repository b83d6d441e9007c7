import type { SearchConfiguration } from '../configuration.ts'

/** The fields that a name may mean: an exact one wins; else those of which it is the start of a name. */
export type NameMatch = {
  readonly isExact: boolean
  /** Each field once, by its internal name, with the name of it that matched. */
  readonly matches: readonly { readonly field: string; readonly name: string }[]
}

type Names = {
  /** Names that may be shortened. */
  readonly names: readonly string[]
  /** Names that may not, beside the internal name of the field. */
  readonly exact?: readonly string[]
}

/** The fields of a quicksearch by their internal names. */
const FIELD_NAMES: Readonly<Record<string, Names>> = {
  alias: { names: ['alias'] },
  assigned_to: { names: ['assigned_to', 'assignee', 'owner'] },
  reporter: { names: ['reporter'], exact: ['creator'] },
  qa_contact: { names: ['qa_contact'] },
  triage_owner: { names: ['triage_owner'] },
  cc: { names: ['cc'] },
  commenter: { names: ['commenter'] },
  product: { names: ['product'] },
  component: { names: ['component'] },
  classification: { names: ['classification'] },
  version: { names: ['version'] },
  target_milestone: { names: ['milestone', 'target_milestone'] },
  bug_status: { names: ['status'] },
  resolution: { names: ['resolution'] },
  priority: { names: ['priority'] },
  bug_severity: { names: ['severity'] },
  bug_type: { names: ['type'] },
  rep_platform: { names: ['platform'] },
  op_sys: { names: ['os', 'op_sys'] },
  short_desc: { names: ['summary', 'short_desc'] },
  longdesc: { names: ['comment', 'description', 'longdesc'] },
  bug_file_loc: { names: ['url'] },
  status_whiteboard: { names: ['whiteboard', 'sw'] },
  keywords: { names: ['keywords', 'kw'] },
  bug_group: { names: ['group'] },
  'flagtypes.name': { names: ['flag'] },
  'requestees.login_name': { names: ['requestee'] },
  'setters.login_name': { names: ['setter'] },
  'attachments.description': { names: ['attachment', 'attachmentdesc', 'attachdesc'] },
  'attachments.mimetype': { names: ['attachmentmimetype', 'attachmimetype'] },
  dependson: { names: ['dependson'], exact: ['depends_on'] },
  blocked: { names: ['blocked'], exact: ['blocks'] },
  regressed_by: { names: ['regressed_by'] },
  regresses: { names: ['regresses', 'regressions'] },
  dup_id: { names: ['dup_id'] },
  duplicates: { names: ['duplicates'] },
  see_also: { names: ['see_also'] },
  tag: { names: ['tag'] },
  comment_tag: { names: ['comment_tag'] },
  bug_id: { names: ['bug_id'], exact: ['id'] },
  creation_ts: { names: ['creation_ts'], exact: ['creation_time'] },
  delta_ts: { names: ['delta_ts'], exact: ['last_change_time'] },
  deadline: { names: ['deadline'] },
  estimated_time: { names: ['estimated_time'] },
  remaining_time: { names: ['remaining_time'] },
  work_time: { names: ['work_time'] },
  percentage_complete: { names: ['percentage_complete'] },
  days_elapsed: { names: ['days_elapsed'] },
  owner_idle_time: { names: ['owner_idle_time'] },
  last_visit_ts: { names: ['last_visit_ts'] },
  filed_via: { names: ['filed_via'] },
  everconfirmed: { names: ['everconfirmed'] },
  team_name: { names: ['team_name'] },
  content: { names: ['content'] },
  cc_count: { names: [] },
  see_also_count: { names: [] },
  dupe_count: { names: [] },
  anything: { names: [] },
}

const EXACT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELD_NAMES).flatMap(([field, { names, exact = [] }]) =>
    [field, ...names, ...exact].map((name) => [name, field] as const),
  ),
)

const SHORTENED_NAMES = Object.entries(FIELD_NAMES).flatMap(([field, { names }]) =>
  names.map((name) => ({ field, name })),
)

const CUSTOM_PREFIX = 'cf_'

/** The fields that a name in a quicksearch may mean, in any case; none for an unknown name. */
export function matchFieldName(text: string, configuration: SearchConfiguration): NameMatch {
  const name = text.toLowerCase()
  const exact =
    EXACT_NAMES.get(name) ??
    [name, CUSTOM_PREFIX + name].find((custom) => configuration.customFields.has(custom))
  if (exact !== undefined) {
    return { isExact: true, matches: [{ field: exact, name }] }
  }
  const standard = SHORTENED_NAMES.filter((candidate) => candidate.name.startsWith(name))
  const custom = [...configuration.customFields.keys()]
    .filter((field) => field.startsWith(name) || field.startsWith(CUSTOM_PREFIX + name))
    .map((field) => ({ field, name: field }))
  // the first name of a field is the one to show
  const matches = new Map(
    [...standard, ...custom].reverse().map((candidate) => [candidate.field, candidate]),
  )
  const byName = [...matches.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { isExact: false, matches: byName }
}
