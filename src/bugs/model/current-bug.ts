import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../../access/bug-set.ts'
import type { Caller } from '../../access/caller.ts'
import { editableProductCondition, visibleBugCondition } from '../../access/visibility.ts'
import { precompile } from '../../db/json-select.ts'
import { type RowsOf, selectOf } from '../../db/read-batch.ts'
import { sql } from '../../db/sql.ts'
import { type Field, HISTORY_FIELDS } from './history-fields.ts'
import { RIGHTS_CONTROLS } from './standing.ts'

/** A bug as an update finds it. */
export type CurrentBug = RowsOf<ReturnType<typeof currentBugs>>[0]

/** The people whom a component gives its bugs to. */
export type DefaultPeople = {
  readonly assigneeId: number
  readonly assignee: string
  readonly qaContactId: number | null
  readonly qaContact: string | null
}

/** A group that a bug is in. */
export type BugGroup = {
  readonly id: number
  readonly nameFold: string
  readonly isActive: boolean
}

/** Reads the bugs of a set with everything that any update may depend on, in one row for each. */
export function currentBugs(caller: Caller, set: BugSet) {
  const forCaller = {
    /** Whether the caller may know which bug this is a duplicate of. */
    seesOriginal: sql`EXISTS (SELECT 1 FROM bugs other
      WHERE other.id = bugs.dupe_of_id AND ${visibleBugCondition(caller, 'other')})`.mapWith(
      Boolean,
    ),
    isEditable: sql`EXISTS (SELECT 1 FROM products
      WHERE products.id = bugs.product_id AND ${editableProductCondition(caller)})`.mapWith(
      Boolean,
    ),
  }
  return selectBugs(sql`FROM bugs WHERE ${set.condition}`, forCaller)
}

/** The column of a component, as `component`, that holds its default assignee and QA contact. */
export function defaultPeople(component: string): SQL<DefaultPeople> {
  return peopleTuple(component).mapWith((json) => peopleIn(JSON.parse(String(json)) as PeopleTuple))
}

type PeopleTuple = readonly [number, string, number | null, string | null]

function peopleTuple(component: string): SQL {
  const c = sql.raw(component)
  const login = (id: SQL) => sql`(SELECT u.login FROM users u WHERE u.id = ${id})`
  return sql`json_array(${c}.default_assignee_id, ${login(sql`${c}.default_assignee_id`)},
    ${c}.default_qa_contact_id, ${login(sql`${c}.default_qa_contact_id`)})`
}

function peopleIn([assigneeId, assignee, qaContactId, qaContact]: PeopleTuple): DefaultPeople {
  return { assigneeId, assignee, qaContactId, qaContact }
}

const FIELDS = Object.keys(HISTORY_FIELDS) as Field[]

/** What a bug is, whoever looks at it. */
const selectBugs = selectOf({
  id: sql<number>`bugs.id`,
  revision: sql<number>`bugs.revision`,
  isConfirmed: sql`bugs.is_confirmed`.mapWith(Boolean),
  statusId: sql<number>`bugs.status_id`,
  resolutionId: sql<number>`bugs.resolution_id`,
  productId: sql<number>`bugs.product_id`,
  componentId: sql<number>`bugs.component_id`,
  versionId: sql<number>`bugs.version_id`,
  milestoneId: sql<number>`bugs.milestone_id`,
  assignedToId: sql<number>`bugs.assigned_to_id`,
  reporterId: sql<number>`bugs.reporter_id`,
  qaContactId: sql<number | null>`bugs.qa_contact_id`,
  dupeOfId: sql<number | null>`bugs.dupe_of_id`,
  changedAt: sql<number>`bugs.changed_at`,
  /** The value of every single-valued field in the form of history. */
  historyValues: precompile(
    sql`json_array(${sql.join(
      FIELDS.map((field) => HISTORY_FIELDS[field].value),
      sql`, `,
    )})`,
  ).mapWith(parseHistoryValues),
  product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`,
  hasUnconfirmed: sql`(SELECT p.has_unconfirmed FROM products p
    WHERE p.id = bugs.product_id)`.mapWith(Boolean),
  productRevision: sql<number>`(SELECT p.revision FROM products p WHERE p.id = bugs.product_id)`,
  controls: RIGHTS_CONTROLS,
  component: precompile(sql`(SELECT json_array(c.id, c.revision, ${peopleTuple('c')})
    FROM components c WHERE c.id = bugs.component_id)`).mapWith(parseComponent),
  groups: sql`(SELECT json_group_array(json_array(g.id, g.name_fold, g.is_active))
    FROM bug_groups b JOIN access_groups g ON g.id = b.group_id
    WHERE b.bug_id = bugs.id)`.mapWith(parseGroups),
  /** The logins on the CC list by user ID. */
  cc: sql`(SELECT json_group_array(json_array(u.id, u.login)) FROM bug_cc c
    JOIN users u ON u.id = c.user_id WHERE c.bug_id = bugs.id)`.mapWith(parseCc),
})

function parseHistoryValues(json: unknown): Record<Field, string> {
  const values = JSON.parse(String(json)) as string[]
  return Object.fromEntries(FIELDS.map((field, n) => [field, values[n]])) as Record<Field, string>
}

function parseComponent(json: unknown) {
  const [id, revision, people] = JSON.parse(String(json)) as [number, number, PeopleTuple]
  return { id, revision, people: peopleIn(people) }
}

function parseGroups(json: unknown): BugGroup[] {
  const rows = JSON.parse(String(json)) as [number, string, number][]
  return rows.map(([id, nameFold, isActive]) => ({ id, nameFold, isActive: isActive === 1 }))
}

function parseCc(json: unknown): ReadonlyMap<number, string> {
  return new Map(JSON.parse(String(json)) as [number, string][])
}
