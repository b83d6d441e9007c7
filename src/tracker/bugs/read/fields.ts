import * as z from 'zod'
import type { Person } from '../../../platform/access/caller.ts'
import { aliasOutput } from '../../../platform/lib/alias.ts'
import type { FieldClass } from '../../../platform/lib/selection.ts'
import { toDatetime } from '../../../platform/lib/time.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { type FlagTuple, flagShape, presentFlag } from '../../flags/present.ts'
import { expandLink } from '../../history/links.ts'
import { type PeoplePresenter, userDetailShape } from '../../users/people.ts'
import type { BugColumn, BugRow, PersonTuple, StatusTuple } from './columns.ts'
import { permissionsShape, presentPermissions } from './permissions.ts'

/** What the presentation of a bug depends on beside its row. */
export type View = {
  readonly people: PeoplePresenter
  /** Address of the service, for links to its bugs. */
  readonly baseUrl: string
  readonly tracksTime: boolean
  /** Parses JSON that more than one field is made of. */
  readonly parse: <Value>(json: string) => Value
  /** Presents an alias as the settings say. */
  readonly alias: (alias: string | null) => z.input<typeof aliasOutput>
  /** Null for anonymous callers, who get no tokens. */
  readonly person: Person | null
  readonly settings: Settings
}

/** One field of the Bug object: its class, the columns that feed it, and how it is presented. */
export type BugField<Shape extends z.ZodType = z.ZodType> = {
  readonly shape: Shape
  readonly class: FieldClass
  readonly reads: readonly BugColumn[]
  /** Whether this caller ever gets the field; absent for fields that everybody gets. */
  readonly isFor?: (view: View) => boolean
  /** Undefined leaves the field out. */
  readonly present: (row: BugRow, view: View) => z.input<Shape> | undefined
}

const counts = z
  .strictObject({
    attachments: z.int(),
    cc: z.int(),
    comments: z.int(),
    keywords: z.int(),
    blocks: z.int(),
    depends_on: z.int(),
    regressed_by: z.int(),
    regressions: z.int(),
    duplicates: z.int(),
  })
  .partial()

const idList = z.array(z.int())
const texts = z.array(z.string())

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
 * The fields of the Bug object, one row each, except custom fields and lists that have a room of their own.
 */
export const BUG_FIELDS = {
  id: field(z.int(), 'id', (row) => row.id),
  alias: field(aliasOutput, 'alias', (row, view) => view.alias(row.alias)),
  summary: field(z.string(), 'summary', (row) => row.summary),
  status: field(z.string(), 'status', (row, view) => view.parse<StatusTuple>(row.status)[0]),
  resolution: field(z.string(), 'resolution', (row) => row.resolution),
  is_open: field(
    z.boolean(),
    'status',
    (row, view) => view.parse<StatusTuple>(row.status)[1] === 1,
  ),
  is_confirmed: field(z.boolean(), 'isConfirmed', (row) => row.isConfirmed === 1),
  type: field(z.string(), 'type', (row) => row.type),
  product: field(z.string(), 'product', (row) => row.product),
  component: field(z.string(), 'component', (row) => row.component),
  classification: field(z.string(), 'classification', (row) => row.classification),
  version: field(z.string(), 'version', (row) => row.version),
  platform: field(z.string(), 'platform', (row) => row.platform),
  op_sys: field(z.string(), 'opSys', (row) => row.opSys),
  priority: field(z.string(), 'priority', (row) => row.priority),
  severity: field(z.string(), 'severity', (row) => row.severity),
  target_milestone: field(z.string(), 'milestone', (row) => row.milestone),
  assigned_to: login('assignedTo'),
  assigned_to_detail: personDetail('assignedTo'),
  creator: login('creator'),
  creator_detail: personDetail('creator'),
  qa_contact: login('qaContact'),
  qa_contact_detail: personDetail('qaContact'),
  triage_owner: login('triageOwner'),
  triage_owner_detail: personDetail('triageOwner', 'extra'),
  cc: field(texts, 'cc', (row, { people }) =>
    list<PersonTuple>(row.cc).map(([, login]) => people.presentLogin(login)),
  ),
  cc_detail: field(z.array(userDetailShape), 'cc', (row, view) =>
    list<PersonTuple>(row.cc).map((one) => detail(one, view)),
  ),
  is_cc_accessible: field(z.boolean(), 'isCcAccessible', (row) => row.isCcAccessible === 1),
  is_creator_accessible: field(
    z.boolean(),
    'isCreatorAccessible',
    (row) => row.isCreatorAccessible === 1,
  ),
  groups: field(texts, 'groups', (row) => list<string>(row.groups)),
  keywords: field(texts, 'keywords', (row) => list<string>(row.keywords)),
  blocks: field(idList, 'blocks', (row) => list<number>(row.blocks)),
  depends_on: field(idList, 'dependsOn', (row) => list<number>(row.dependsOn)),
  regressed_by: field(idList, 'regressedBy', (row) => list<number>(row.regressedBy)),
  regressions: field(idList, 'regressions', (row) => list<number>(row.regressions)),
  dupe_of: field(z.int().nullable(), 'dupeOf', (row) => row.dupeOf),
  duplicates: field(idList, 'duplicates', (row) => list<number>(row.duplicates)),
  see_also: field(texts, 'seeAlso', (row, { baseUrl }) =>
    list<string>(row.seeAlso).map((link) => expandLink(link, baseUrl)),
  ),
  url: field(z.string(), 'url', (row) => row.url),
  whiteboard: field(z.string(), 'whiteboard', (row) => row.whiteboard),
  deadline: field(z.iso.date().nullable(), 'deadline', (row) => row.deadline),
  creation_time: field(z.iso.datetime(), 'createdAt', (row) => toDatetime(row.createdAt)),
  last_change_time: field(z.iso.datetime(), 'changedAt', (row) => toDatetime(row.changedAt)),
  comment_count: field(z.int(), 'commentCount', (row) => row.commentCount),
  flags: field(z.array(flagShape), 'flags', (row, { people }) =>
    list<FlagTuple>(row.flags).map((flag) => presentFlag(flag, people)),
  ),
  actual_time: hours('actualTime'),
  estimated_time: hours('estimatedTime'),
  remaining_time: hours('remainingTime'),
  update_token: {
    shape: z.string(),
    class: 'default',
    reads: ['id', 'changedAt'],
    isFor: (view) => view.person !== null,
    // older clients send it back, and nothing verifies it: a change can demand `If-Match`
    present: (row, view) => `${row.changedAt}-${view.person?.id}-${row.id}`,
  },
  description: field(z.string(), 'description', (row) => row.description ?? '', 'extra'),
  filed_via: field(z.string(), 'filedVia', (row) => row.filedVia, 'extra'),
  tags: field(texts, 'tags', (row) => list<string>(row.tags), 'extra'),
  last_change_time_non_bot: field(
    z.iso.datetime(),
    'changedByPeopleAt',
    (row) => toDatetime(row.changedByPeopleAt),
    'extra',
  ),
  counts: {
    shape: counts,
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
  permissions: {
    shape: permissionsShape,
    class: 'named',
    reads: [
      ...(['rightsGroups', 'nextStatuses', 'status', 'isConfirmed'] as const),
      ...(['assignedToId', 'qaContactId', 'reporterId'] as const),
    ],
    present: (row, { person, settings }) => presentPermissions(row, person, settings),
  },
} satisfies Readonly<Record<string, BugField>>

const CLASSES: ReadonlyMap<string, FieldClass> = new Map(
  Object.entries(BUG_FIELDS).map(([name, { class: fieldClass }]) => [name, fieldClass]),
)

/** The class of a field, for selection; a field without a row is a custom field. */
export function classOfBugField(name: string): FieldClass {
  return CLASSES.get(name) ?? 'custom'
}

function field<Shape extends z.ZodType>(
  shape: Shape,
  column: BugColumn,
  present: (row: BugRow, view: View) => z.input<Shape>,
  fieldClass: FieldClass = 'default',
): BugField<Shape> {
  return { shape, class: fieldClass, reads: [column], present }
}

type PersonColumn = 'assignedTo' | 'creator' | 'qaContact' | 'triageOwner'

function login(column: PersonColumn) {
  return field(z.string(), column, (row, view) => {
    const json = row[column]
    return json === null ? '' : view.people.presentLogin(view.parse<PersonTuple>(json)[1])
  })
}

/** Left out when nobody is set. */
function personDetail(
  column: PersonColumn,
  detailClass: FieldClass = 'default',
): BugField<typeof userDetailShape> {
  return {
    shape: userDetailShape,
    class: detailClass,
    reads: [column],
    present: (row, view) => {
      const json = row[column]
      return json === null ? undefined : detail(view.parse<PersonTuple>(json), view)
    },
  }
}

/** Hours are only for members of the time-tracking group. */
function hours(column: 'actualTime' | 'estimatedTime' | 'remainingTime') {
  const isFor = (view: View) => view.tracksTime
  return { ...field(z.number(), column, (row) => row[column]), isFor }
}

function detail([id, login, realName, nick]: PersonTuple, { people }: View) {
  return people.presentDetail({ id, login, realName, nick })
}

function list<Item>(json: string | null): Item[] {
  return json === null ? [] : JSON.parse(json)
}

/** A parser that gives the last value again for the same text: fields that share a column are neighbours. */
export function repeatingParser(): View['parse'] {
  let last: { readonly json: string; readonly value: unknown } | null = null
  return <Value>(json: string) => {
    if (last?.json !== json) {
      last = { json, value: JSON.parse(json) }
    }
    return last.value as Value
  }
}
