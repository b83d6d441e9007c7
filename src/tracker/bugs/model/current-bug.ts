import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Caller } from '../../../platform/access/caller.ts'
import {
  editableProductCondition,
  visibleBugCondition,
} from '../../../platform/access/visibility.ts'
import { type RowsOf, selectOf } from '../../../platform/db/read-batch.ts'
import { bugGroups, bugs } from '../../../platform/db/schema/bugs.ts'
import { groups } from '../../../platform/db/schema/groups.ts'
import { components, products } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { HISTORY_FIELDS, isLongText, type RecordedField } from './history-fields.ts'
import { RIGHTS_CONTROLS } from './standing.ts'

const other = aliasColumns(bugs, 'other')
const u = aliasColumns(users, 'u')
const p = aliasColumns(products, 'p')
const g = aliasColumns(groups, 'g')
const b = aliasColumns(bugGroups, 'b')
const c = aliasColumns(components, 'c')

/** A bug as an update finds it. */
export type CurrentBug = RowsOf<ReturnType<typeof currentBugs>>[0]

/** The people whom a component gives its bugs to. */
export type DefaultPeople = {
  readonly assigneeId: number
  readonly assignee: string
  readonly qaContactId: number | null
  readonly qaContact: string | null
}

export type BugGroup = {
  readonly id: number
  readonly nameFold: string
  readonly isActive: boolean
}

/**
 * Reads the bugs of a set with everything that an update of what `input` names may depend on, in one row for each: of
 * long texts only those that it names, which are empty otherwise.
 */
export function currentBugs(caller: Caller, set: BugSet, input: Readonly<Record<string, unknown>>) {
  const columns = {
    ...COLUMNS,
    historyValues: historyValuesOf(input),
    /** Whether the caller may know which bug this is a duplicate of. */
    seesOriginal: sql`EXISTS (SELECT 1 FROM bugs other
      WHERE ${other.id} = ${bugs.dupeOfId} AND ${visibleBugCondition(caller, 'other')})`.mapWith(
      Boolean,
    ),
    isEditable: sql`EXISTS (SELECT 1 FROM products
      WHERE ${products.id} = ${bugs.productId} AND ${editableProductCondition(caller)})`.mapWith(
      Boolean,
    ),
  }
  return selectOf(columns, sql`FROM bugs WHERE ${set.condition}`)
}

/** The default assignee and QA contact of a component, whose columns are given. */
export function defaultPeople(component: PeopleColumns): SQL<DefaultPeople> {
  return peopleTuple(component).mapWith((json) => peopleIn(JSON.parse(String(json)) as PeopleTuple))
}

type PeopleTuple = readonly [number, string, number | null, string | null]

type PeopleColumns = Readonly<Record<'defaultAssigneeId' | 'defaultQaContactId', SQLWrapper>>

function peopleTuple({ defaultAssigneeId, defaultQaContactId }: PeopleColumns): SQL {
  const login = (id: SQLWrapper) => sql`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${id})`
  return sql`json_array(${defaultAssigneeId}, ${login(defaultAssigneeId)},
    ${defaultQaContactId}, ${login(defaultQaContactId)})`
}

function peopleIn([assigneeId, assignee, qaContactId, qaContact]: PeopleTuple): DefaultPeople {
  return { assigneeId, assignee, qaContactId, qaContact }
}

const FIELDS = Object.keys(HISTORY_FIELDS) as RecordedField[]

function historyValuesOf(input: Readonly<Record<string, unknown>>) {
  const values = FIELDS.map((field) =>
    isLongText(field) && input[field] === undefined ? sql`''` : HISTORY_FIELDS[field].value,
  )
  return sql`json_array(${sql.join(values, sql`, `)})`.mapWith(parseHistoryValues)
}

/** The state of a bug, regardless of the caller. */
const COLUMNS = {
  id: sql<number>`${bugs.id}`,
  revision: sql<number>`${bugs.revision}`,
  isConfirmed: sql`${bugs.isConfirmed}`.mapWith(Boolean),
  statusId: sql<number>`${bugs.statusId}`,
  resolutionId: sql<number>`${bugs.resolutionId}`,
  productId: sql<number>`${bugs.productId}`,
  componentId: sql<number>`${bugs.componentId}`,
  versionId: sql<number>`${bugs.versionId}`,
  milestoneId: sql<number>`${bugs.milestoneId}`,
  assignedToId: sql<number>`${bugs.assignedToId}`,
  reporterId: sql<number>`${bugs.reporterId}`,
  qaContactId: sql<number | null>`${bugs.qaContactId}`,
  dupeOfId: sql<number | null>`${bugs.dupeOfId}`,
  changedAt: sql<number>`${bugs.changedAt}`,
  product: sql<string>`(SELECT ${p.name} FROM products p WHERE ${p.id} = ${bugs.productId})`,
  hasUnconfirmed: sql`(SELECT ${p.hasUnconfirmed} FROM products p
    WHERE ${p.id} = ${bugs.productId})`.mapWith(Boolean),
  productRevision: sql<number>`(SELECT ${p.revision} FROM products p WHERE ${p.id} = ${bugs.productId})`,
  controls: RIGHTS_CONTROLS,
  component: sql`(SELECT json_array(${c.id}, ${c.revision}, ${peopleTuple(c)})
    FROM components c WHERE ${c.id} = ${bugs.componentId})`.mapWith(parseComponent),
  groups: sql`(SELECT json_group_array(json_array(${g.id}, ${g.nameFold}, ${g.isActive}))
    FROM bug_groups b JOIN access_groups g ON ${g.id} = ${b.groupId}
    WHERE ${b.bugId} = ${bugs.id})`.mapWith(parseGroups),
}

function parseHistoryValues(json: unknown): Record<RecordedField, string> {
  const values = JSON.parse(String(json)) as string[]
  return Object.fromEntries(FIELDS.map((field, n) => [field, values[n]])) as Record<
    RecordedField,
    string
  >
}

function parseComponent(json: unknown) {
  const [id, revision, people] = JSON.parse(String(json)) as [number, number, PeopleTuple]
  return { id, revision, people: peopleIn(people) }
}

function parseGroups(json: unknown): BugGroup[] {
  const rows = JSON.parse(String(json)) as [number, string, number][]
  return rows.map(([id, nameFold, isActive]) => ({ id, nameFold, isActive: isActive === 1 }))
}
