import type { FieldClass } from '../../../platform/lib/selection.ts'
import { toDatetime } from '../../../platform/lib/time.ts'
import { type FlagTuple, presentFlag } from '../../flags/present.ts'
import { expandLink } from '../../history/links.ts'
import type { PeoplePresenter } from '../../users/people.ts'
import type { BugColumn, BugRow, PersonTuple, StatusTuple } from './columns.ts'

/** What the presentation of a bug depends on beside its row. */
export type View = {
  readonly people: PeoplePresenter
  /** Address of the service, for links to its bugs. */
  readonly baseUrl: string
  readonly tracksTime: boolean
  /** Presents an alias as the settings say. */
  readonly alias: (alias: string | null) => unknown
  /** Null for anonymous callers, who get no tokens. */
  readonly callerId: number | null
}

/** One field of the Bug object: its class, the columns that feed it, and how it is presented. */
export type BugField = {
  readonly class: FieldClass
  readonly reads: readonly BugColumn[]
  /** Whether this caller ever gets the field; absent for fields that everybody gets. */
  readonly isFor?: (view: View) => boolean
  /** Undefined leaves the field out. */
  readonly present: (row: BugRow, view: View) => unknown
}

const COUNTED: readonly BugColumn[] = [
  'attachmentCount',
  'cc',
  'commentCount',
  'keywords',
  'blocks',
  'dependsOn',
  'regressedBy',
  'regressions',
  'duplicates',
]

/**
 * Every field of the Bug object, one row each, but the custom ones and those that are lists of things
 * with a room of their own.
 */
export const BUG_FIELDS: Readonly<Record<string, BugField>> = {
  id: field('id', (row) => row.id),
  alias: field('alias', (row, view) => view.alias(row.alias)),
  summary: field('summary', (row) => row.summary),
  status: field('status', (row) => parse<StatusTuple>(row.status)[0]),
  resolution: field('resolution', (row) => row.resolution),
  is_open: field('status', (row) => parse<StatusTuple>(row.status)[1] === 1),
  is_confirmed: field('isConfirmed', (row) => row.isConfirmed === 1),
  type: field('type', (row) => row.type),
  product: field('product', (row) => row.product),
  component: field('component', (row) => row.component),
  classification: field('classification', (row) => row.classification),
  version: field('version', (row) => row.version),
  platform: field('platform', (row) => row.platform),
  op_sys: field('opSys', (row) => row.opSys),
  priority: field('priority', (row) => row.priority),
  severity: field('severity', (row) => row.severity),
  target_milestone: field('milestone', (row) => row.milestone),
  ...person('assigned_to', 'assignedTo'),
  ...person('creator', 'creator'),
  ...person('qa_contact', 'qaContact'),
  ...person('triage_owner', 'triageOwner', 'extra'),
  cc: field('cc', (row, { people }) =>
    list<PersonTuple>(row.cc).map(([, login]) => people.presentLogin(login)),
  ),
  cc_detail: field('cc', (row, view) => list<PersonTuple>(row.cc).map((one) => detail(one, view))),
  is_cc_accessible: field('isCcAccessible', (row) => row.isCcAccessible === 1),
  is_creator_accessible: field('isCreatorAccessible', (row) => row.isCreatorAccessible === 1),
  groups: field('groups', (row) => list<string>(row.groups)),
  keywords: field('keywords', (row) => list<string>(row.keywords)),
  blocks: field('blocks', (row) => list<number>(row.blocks)),
  depends_on: field('dependsOn', (row) => list<number>(row.dependsOn)),
  regressed_by: field('regressedBy', (row) => list<number>(row.regressedBy)),
  regressions: field('regressions', (row) => list<number>(row.regressions)),
  dupe_of: field('dupeOf', (row) => row.dupeOf),
  duplicates: field('duplicates', (row) => list<number>(row.duplicates)),
  see_also: field('seeAlso', (row, { baseUrl }) =>
    list<string>(row.seeAlso).map((link) => expandLink(link, baseUrl)),
  ),
  url: field('url', (row) => row.url),
  whiteboard: field('whiteboard', (row) => row.whiteboard),
  deadline: field('deadline', (row) => row.deadline),
  creation_time: field('createdAt', (row) => toDatetime(row.createdAt)),
  last_change_time: field('changedAt', (row) => toDatetime(row.changedAt)),
  comment_count: field('commentCount', (row) => row.commentCount),
  flags: field('flags', (row, { people }) =>
    list<FlagTuple>(row.flags).map((flag) => presentFlag(flag, people)),
  ),
  actual_time: hours('actualTime'),
  estimated_time: hours('estimatedTime'),
  remaining_time: hours('remainingTime'),
  update_token: {
    class: 'default',
    reads: ['id', 'changedAt'],
    isFor: (view) => view.callerId !== null,
    // older clients send it back, and nothing verifies it: a change can demand `If-Match`
    present: (row, view) => `${row.changedAt}-${view.callerId}-${row.id}`,
  },
  description: field('description', (row) => row.description ?? '', 'extra'),
  filed_via: field('filedVia', (row) => row.filedVia, 'extra'),
  tags: field('tags', (row) => list<string>(row.tags), 'extra'),
  last_change_time_non_bot: field(
    'changedByPeopleAt',
    (row) => toDatetime(row.changedByPeopleAt),
    'extra',
  ),
  counts: {
    class: 'extra',
    reads: COUNTED,
    present: (row) => ({
      attachments: row.attachmentCount,
      cc: list(row.cc).length,
      comments: row.commentCount,
      keywords: list(row.keywords).length,
      blocks: list(row.blocks).length,
      depends_on: list(row.dependsOn).length,
      regressed_by: list(row.regressedBy).length,
      regressions: list(row.regressions).length,
      duplicates: list(row.duplicates).length,
    }),
  },
}

/** The class of a field, for selection; what is not in the table is a custom field. */
export function classOfBugField(name: string): FieldClass {
  return Object.hasOwn(BUG_FIELDS, name) ? (BUG_FIELDS[name]?.class ?? 'custom') : 'custom'
}

function field(
  column: BugColumn,
  present: BugField['present'],
  fieldClass: FieldClass = 'default',
): BugField {
  return { class: fieldClass, reads: [column], present }
}

/** A person field and its detail object, which is left out when nobody is set. */
function person(
  name: string,
  column: 'assignedTo' | 'creator' | 'qaContact' | 'triageOwner',
  detailClass: FieldClass = 'default',
): Record<string, BugField> {
  return {
    [name]: field(column, (row, view) => {
      const json = row[column]
      return json === null ? '' : view.people.presentLogin(parse<PersonTuple>(json)[1])
    }),
    [`${name}_detail`]: field(
      column,
      (row, view) => {
        const json = row[column]
        return json === null ? undefined : detail(parse<PersonTuple>(json), view)
      },
      detailClass,
    ),
  }
}

/** Hours are only for members of the time-tracking group. */
function hours(column: 'actualTime' | 'estimatedTime' | 'remainingTime'): BugField {
  return { ...field(column, (row) => row[column]), isFor: (view) => view.tracksTime }
}

function detail([id, login, realName, nick]: PersonTuple, { people }: View) {
  return people.presentDetail({ id, login, realName, nick })
}

function list<Item>(json: string): Item[] {
  // most lists of most bugs
  return json === '[]' ? [] : JSON.parse(json)
}

/** The columns say what is in them. */
function parse<Value>(json: string): Value {
  return JSON.parse(json)
}
