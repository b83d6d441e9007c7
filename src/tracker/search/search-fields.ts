import type { Caller } from '../../platform/access/caller.ts'
import { canTrackTime, isInsider } from '../../platform/access/rights.ts'
import { FIELD_TYPE } from '../../platform/db/schema/fields.ts'
import type { SearchConfiguration } from './configuration.ts'

/**
 * What a field holds, which decides what its operators do: `text`, `select` (a name from a list), `number`,
 * `boolean`, `date`, `person` (one or none); `set` (several values, where each word may be in another one),
 * `rows` (several values, where one row has all words), `people` (rows that are people); `special`.
 */
type FieldFamily =
  | 'text'
  | 'select'
  | 'number'
  | 'boolean'
  | 'date'
  | 'person'
  | 'set'
  | 'rows'
  | 'people'
  | 'special'

/** Who may search by a field; others are answered as if it did not exist, insiders by fault 304. */
type FieldAudience = 'timetracking' | 'insider'

export type SearchField = {
  /** The internal name. */
  readonly name: string
  readonly family: FieldFamily
  readonly audience?: FieldAudience
  /** The ID and the type of a custom field. */
  readonly custom?: { readonly id: number; readonly type: number }
}

type FieldEntry = {
  readonly family: FieldFamily
  readonly audience?: FieldAudience
  /** Public and old names. */
  readonly names?: readonly string[]
}

/** The fields of a search by their internal names. */
export const SEARCH_FIELDS = {
  bug_id: { family: 'number', names: ['id'] },
  alias: { family: 'text' },
  short_desc: { family: 'text', names: ['summary', 'short_short_desc'] },
  status_whiteboard: { family: 'text', names: ['whiteboard'] },
  bug_file_loc: { family: 'text', names: ['url'] },
  filed_via: { family: 'text' },
  team_name: { family: 'text' },
  product: { family: 'select' },
  component: { family: 'select' },
  classification: { family: 'select' },
  version: { family: 'select' },
  target_milestone: { family: 'select' },
  bug_status: { family: 'select', names: ['status'] },
  resolution: { family: 'select' },
  bug_type: { family: 'select', names: ['type'] },
  bug_severity: { family: 'select', names: ['severity'] },
  priority: { family: 'select' },
  rep_platform: { family: 'select', names: ['platform'] },
  op_sys: { family: 'select' },
  assigned_to: { family: 'person' },
  qa_contact: { family: 'person' },
  reporter: { family: 'person', names: ['creator'] },
  triage_owner: { family: 'person' },
  cc: { family: 'people' },
  commenter: { family: 'people' },
  longdesc: { family: 'rows', names: ['long_desc'] },
  'longdescs.count': { family: 'number', names: ['comment_count'] },
  'longdescs.isprivate': { family: 'set', audience: 'insider' },
  comment_tag: { family: 'set' },
  keywords: { family: 'set' },
  bug_group: { family: 'set', names: ['groups'] },
  tag: { family: 'set', names: ['tags'] },
  see_also: { family: 'set' },
  dependson: { family: 'set', names: ['depends_on'] },
  blocked: { family: 'set', names: ['blocks'] },
  regressed_by: { family: 'set' },
  regresses: { family: 'set', names: ['regressions'] },
  dup_id: { family: 'number', names: ['dupe_of'] },
  duplicates: { family: 'set' },
  'attachments.description': { family: 'set' },
  'attachments.filename': { family: 'set' },
  'attachments.mimetype': { family: 'set' },
  'attachments.ispatch': { family: 'set' },
  'attachments.isobsolete': { family: 'set' },
  'attachments.isprivate': { family: 'set' },
  'attachments.submitter': { family: 'people' },
  'flagtypes.name': { family: 'rows', names: ['flag', 'flags'] },
  'requestees.login_name': { family: 'people', names: ['requestee'] },
  'setters.login_name': { family: 'people', names: ['setter'] },
  'attachments.count': { family: 'number' },
  cc_count: { family: 'number' },
  'keywords.count': { family: 'number' },
  see_also_count: { family: 'number' },
  'dependson.count': { family: 'number' },
  'blocked.count': { family: 'number' },
  'regressed_by.count': { family: 'number' },
  'regresses.count': { family: 'number' },
  dupe_count: { family: 'number' },
  everconfirmed: { family: 'boolean', names: ['is_confirmed'] },
  reporter_accessible: { family: 'boolean', names: ['is_creator_accessible'] },
  cclist_accessible: { family: 'boolean', names: ['is_cc_accessible'] },
  creation_ts: { family: 'date', names: ['creation_time', 'opendate'] },
  delta_ts: { family: 'date', names: ['last_change_time', 'changeddate'] },
  last_visit_ts: { family: 'date' },
  days_elapsed: { family: 'number', names: ['changedin'] },
  owner_idle_time: { family: 'special' },
  content: { family: 'special' },
  anything: { family: 'special' },
  deadline: { family: 'date', audience: 'timetracking' },
  estimated_time: { family: 'number', audience: 'timetracking' },
  remaining_time: { family: 'number', audience: 'timetracking' },
  work_time: { family: 'number', audience: 'timetracking', names: ['actual_time'] },
  percentage_complete: { family: 'number', audience: 'timetracking' },
} as const satisfies Readonly<Record<string, FieldEntry>>

/**
 * The text of the first comment: what the parameter `description` and the comment texts of a search with
 * `longdesc_initial` are about. No client can name it as a field.
 */
export const FIRST_COMMENT: SearchField = { name: 'first_comment', family: 'rows' }

/**
 * The keywords of a bug, for a text that is itself the name of a keyword: how a word of a quicksearch looks
 * for keywords. No client can name it as a field.
 */
export const DEFINED_KEYWORD: SearchField = { name: 'defined_keyword', family: 'set' }

const FAMILY_OF_TYPE: Readonly<Record<number, FieldFamily>> = {
  [FIELD_TYPE.freeText]: 'text',
  [FIELD_TYPE.single]: 'select',
  [FIELD_TYPE.multi]: 'set',
  [FIELD_TYPE.largeText]: 'text',
  [FIELD_TYPE.datetime]: 'date',
  [FIELD_TYPE.bugId]: 'number',
  [FIELD_TYPE.date]: 'date',
  [FIELD_TYPE.integer]: 'number',
}

const FIELDS_BY_NAME: ReadonlyMap<string, SearchField> = new Map(
  Object.entries(SEARCH_FIELDS).flatMap(([name, entry]: [string, FieldEntry]) => {
    const field = {
      name,
      family: entry.family,
      ...(entry.audience && { audience: entry.audience }),
    }
    return [name, ...(entry.names ?? [])]
      .flatMap((spelling) => [spelling, spelling.replaceAll('.', '_')])
      .map((spelling) => [spelling, field] as const)
  }),
)

/** The names that a search takes as parameters, as they are in the description of the API. */
export function searchParameterNames(): string[] {
  return Object.entries(SEARCH_FIELDS).flatMap(([name, entry]: [string, FieldEntry]) => [
    name,
    ...(entry.names ?? []),
  ])
}

/**
 * The field of this internal, public or old name, with dots or underscores and in any case; custom fields by
 * their names. Undefined for every other text, and for fields whose existence is not for the caller.
 */
export function findSearchField(
  name: string,
  configuration: SearchConfiguration,
  caller: Caller,
): SearchField | undefined {
  const folded = name.trim().toLowerCase()
  const custom = configuration.customFields.get(folded)
  if (custom !== undefined) {
    return { name: folded, family: FAMILY_OF_TYPE[custom.type] ?? 'text', custom }
  }
  const field = FIELDS_BY_NAME.get(folded)
  return field?.audience === 'timetracking' && !canTrackTime(caller) ? undefined : field
}

/** Whether the caller has the right that searching by the field needs. */
export function maySearchBy(field: SearchField, caller: Caller): boolean {
  switch (field.audience) {
    case 'timetracking':
      return canTrackTime(caller)
    case 'insider':
      return isInsider(caller)
    case undefined:
      return true
  }
}
