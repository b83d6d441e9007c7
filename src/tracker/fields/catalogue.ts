/**
 * What a field holds, which decides what the operators of a search do: `text`, `select` (a name from a
 * list), `number`, `boolean`, `date`, `person` (one or none); `set` (several values, where each word may be
 * in another one), `rows` (several values, where one row has all words), `people` (rows that are people);
 * `special`.
 */
export type FieldFamily =
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

/** One field of bugs, under its internal name: all its names, and who may do what with it. */
export type FieldRow = {
  readonly family: FieldFamily
  /** It is for people who track time: nobody else knows of it or changes it. */
  readonly isTimed?: true
  /** Only insiders search by it. */
  readonly isForInsiders?: true
  /** Its name in bug objects, where that differs. */
  readonly apiName?: string
  /** Further names in searches. */
  readonly otherNames?: readonly string[]
  /** Clients still send it to bugs under its internal name. */
  readonly isSentByInternalName?: true
  /**
   * Its changes stand in history under the name in bug objects, or under that of the field that it counts.
   * Without this they do not: it belongs to other records than the bug, or follows from them.
   */
  readonly history?: true | string
  /**
   * The names in a quicksearch that may be shortened, if that is not the internal name alone; none may for
   * names with a dot. Null: no quicksearch knows the field.
   */
  readonly quicksearch?: readonly string[] | null
  /** The name in bug objects is one in a quicksearch, unless it is shortened. */
  readonly isInQuicksearchByApiName?: true
  /** The reporter of a bug leaves it to the assignee. */
  readonly isNotForReporters?: true
  /** The label in mails, where the display name has another form or belongs to the internal name. */
  readonly label?: string
  /** The event of the mail preferences that a change of it is; `other` without one. */
  readonly mailEvent?:
    | 'resolution'
    | 'component'
    | 'management'
    | 'keywords'
    | 'cc'
    | 'dependencies'
    | 'attachment_data'
}

/**
 * Every field of bugs but the custom ones. Searches compile each of them, which the type of the compiler's
 * table demands; what stores and shows a field stands beside the code that does so.
 */
export const FIELD_CATALOGUE = {
  bug_id: { family: 'number', apiName: 'id', isInQuicksearchByApiName: true },
  alias: { family: 'text', history: true },
  short_desc: {
    family: 'text',
    apiName: 'summary',
    otherNames: ['short_short_desc'],
    isSentByInternalName: true,
    history: true,
    quicksearch: ['summary', 'short_desc'],
    label: 'Summary',
  },
  status_whiteboard: {
    family: 'text',
    apiName: 'whiteboard',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['whiteboard', 'sw'],
    label: 'Status Whiteboard',
  },
  bug_file_loc: {
    family: 'text',
    apiName: 'url',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['url'],
    label: 'URL',
  },
  filed_via: { family: 'text' },
  team_name: { family: 'text' },
  product: { family: 'select', history: true, mailEvent: 'component' },
  component: { family: 'select', history: true, mailEvent: 'component' },
  classification: { family: 'select' },
  version: { family: 'select', history: true },
  target_milestone: {
    family: 'select',
    history: true,
    quicksearch: ['milestone', 'target_milestone'],
    isNotForReporters: true,
    mailEvent: 'management',
  },
  bug_status: {
    family: 'select',
    apiName: 'status',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['status'],
    label: 'Status',
    mailEvent: 'management',
  },
  resolution: { family: 'select', history: true, mailEvent: 'resolution' },
  bug_type: {
    family: 'select',
    apiName: 'type',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['type'],
    label: 'Type',
    mailEvent: 'management',
  },
  bug_severity: {
    family: 'select',
    apiName: 'severity',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['severity'],
    label: 'Severity',
    mailEvent: 'management',
  },
  priority: { family: 'select', history: true, mailEvent: 'management' },
  rep_platform: {
    family: 'select',
    apiName: 'platform',
    isSentByInternalName: true,
    history: true,
    quicksearch: ['platform'],
    label: 'Platform',
  },
  op_sys: { family: 'select', history: true, quicksearch: ['os', 'op_sys'] },
  assigned_to: {
    family: 'person',
    history: true,
    quicksearch: ['assigned_to', 'assignee', 'owner'],
    isNotForReporters: true,
  },
  qa_contact: { family: 'person', history: true, isNotForReporters: true },
  reporter: { family: 'person', apiName: 'creator', isInQuicksearchByApiName: true },
  triage_owner: { family: 'person' },
  cc: { family: 'people', history: true, mailEvent: 'cc' },
  commenter: { family: 'people' },
  longdesc: {
    family: 'rows',
    apiName: 'description',
    otherNames: ['long_desc'],
    quicksearch: ['comment', 'description', 'longdesc'],
  },
  'longdescs.count': { family: 'number', apiName: 'comment_count' },
  'longdescs.isprivate': { family: 'set', isForInsiders: true, history: true },
  comment_tag: { family: 'set', history: true },
  keywords: {
    family: 'set',
    history: true,
    quicksearch: ['keywords', 'kw'],
    mailEvent: 'keywords',
  },
  bug_group: {
    family: 'set',
    apiName: 'groups',
    history: true,
    quicksearch: ['group'],
    label: 'Group',
  },
  tag: { family: 'set', otherNames: ['tags'] },
  see_also: { family: 'set', history: true },
  dependson: {
    family: 'set',
    apiName: 'depends_on',
    history: true,
    isInQuicksearchByApiName: true,
    label: 'Depends on',
    mailEvent: 'dependencies',
  },
  blocked: {
    family: 'set',
    apiName: 'blocks',
    history: true,
    isInQuicksearchByApiName: true,
    label: 'Blocks',
    mailEvent: 'dependencies',
  },
  regressed_by: { family: 'set', history: true, mailEvent: 'dependencies' },
  regresses: {
    family: 'set',
    apiName: 'regressions',
    history: true,
    quicksearch: ['regresses', 'regressions'],
    label: 'Regressions',
    mailEvent: 'dependencies',
  },
  dup_id: { family: 'number', apiName: 'dupe_of', history: true, label: 'Duplicate of' },
  duplicates: { family: 'set', history: true },
  'attachments.description': {
    family: 'set',
    history: true,
    quicksearch: ['attachment', 'attachmentdesc', 'attachdesc'],
    label: 'Description',
    mailEvent: 'attachment_data',
  },
  'attachments.filename': { family: 'set', history: true, label: 'Filename' },
  'attachments.mimetype': {
    family: 'set',
    history: true,
    quicksearch: ['attachmentmimetype', 'attachmimetype'],
    label: 'Mime Type',
    mailEvent: 'attachment_data',
  },
  'attachments.ispatch': {
    family: 'set',
    history: true,
    label: 'Is Patch',
    mailEvent: 'attachment_data',
  },
  'attachments.isobsolete': { family: 'set', history: true, label: 'Is Obsolete' },
  'attachments.isprivate': { family: 'set', history: true, label: 'Is Private' },
  'attachments.submitter': { family: 'people' },
  'flagtypes.name': {
    family: 'rows',
    otherNames: ['flag', 'flags'],
    history: true,
    quicksearch: ['flag'],
  },
  'requestees.login_name': {
    family: 'people',
    otherNames: ['requestee'],
    quicksearch: ['requestee'],
  },
  'setters.login_name': { family: 'people', otherNames: ['setter'], quicksearch: ['setter'] },
  'attachments.count': { family: 'number' },
  cc_count: { family: 'number', quicksearch: [] },
  'keywords.count': { family: 'number', history: 'keywords' },
  see_also_count: { family: 'number', quicksearch: [] },
  'dependson.count': { family: 'number', history: 'depends_on' },
  'blocked.count': { family: 'number', history: 'blocks' },
  'regressed_by.count': { family: 'number', history: 'regressed_by' },
  'regresses.count': { family: 'number', history: 'regressions' },
  dupe_count: { family: 'number', quicksearch: [] },
  everconfirmed: {
    family: 'boolean',
    apiName: 'is_confirmed',
    history: true,
    label: 'Ever Confirmed',
  },
  reporter_accessible: {
    family: 'boolean',
    apiName: 'is_creator_accessible',
    history: true,
    quicksearch: null,
    label: 'Reporter Accessible',
  },
  cclist_accessible: {
    family: 'boolean',
    apiName: 'is_cc_accessible',
    history: true,
    quicksearch: null,
    label: 'CC Accessible',
  },
  creation_ts: {
    family: 'date',
    apiName: 'creation_time',
    otherNames: ['opendate'],
    isInQuicksearchByApiName: true,
  },
  delta_ts: {
    family: 'date',
    apiName: 'last_change_time',
    otherNames: ['changeddate'],
    isInQuicksearchByApiName: true,
  },
  last_visit_ts: { family: 'date' },
  days_elapsed: { family: 'number', otherNames: ['changedin'] },
  owner_idle_time: { family: 'special' },
  content: { family: 'special' },
  anything: { family: 'special', quicksearch: [] },
  deadline: { family: 'date', isTimed: true, history: true },
  estimated_time: { family: 'number', isTimed: true, history: true },
  remaining_time: { family: 'number', isTimed: true, history: true },
  work_time: { family: 'number', isTimed: true, otherNames: ['actual_time'] },
  percentage_complete: { family: 'number', isTimed: true },
} as const satisfies Readonly<Record<string, FieldRow>>

/** The internal name of a field. */
export type FieldName = keyof typeof FIELD_CATALOGUE
