import type { SQL } from 'drizzle-orm'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import { componentCc, components } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, columnNames, db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import type { ComponentInput } from './shapes.ts'

const u = aliasColumns(users, 'u')
const v = aliasColumns(fieldValues, 'v')
const c = aliasColumns(componentCc, 'c')
const f = aliasColumns(fields, 'f')

export type NamedPerson = { readonly id: number; readonly login: string }

/** Everything of a component that can change. */
export type ComponentState = {
  readonly name: string
  readonly description: string
  readonly isActive: boolean
  readonly sortKey: number
  /** Null means the default type of the product. */
  readonly type: { readonly id: number; readonly name: string } | null
  readonly assignee: NamedPerson
  readonly qaContact: NamedPerson | null
  readonly triageOwner: NamedPerson | null
  readonly teamName: string
  readonly template: string
  /** People on the CC list of every new bug, by login. */
  readonly cc: readonly NamedPerson[]
}

/** The loaded people and bug types that the values of a component refer to. */
export type ComponentReferences = {
  readonly people: readonly (NamedPerson & { readonly loginFold: string })[]
  readonly types: readonly { readonly id: number; readonly name: string }[]
}

/** Selects components; `condition` is about the table `components`. */
export function selectComponents(condition: SQL) {
  const loginOf = (id: SQL) => sql<string>`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${id})`
  return db
    .select({
      ...pick(components, 'id', 'name', 'nameFold', 'description', 'isActive', 'sortKey'),
      typeId: components.defaultTypeId,
      type: sql<string>`(SELECT ${v.name} FROM field_values v
        WHERE ${v.id} = ${components.defaultTypeId})`.as('type_name'),
      assigneeId: components.defaultAssigneeId,
      assignee: loginOf(sql`${components.defaultAssigneeId}`).as('assignee'),
      qaContactId: components.defaultQaContactId,
      qaContact: loginOf(sql`${components.defaultQaContactId}`).as('qa_contact'),
      triageOwnerId: components.triageOwnerId,
      triageOwner: loginOf(sql`${components.triageOwnerId}`).as('triage_owner'),
      teamName: components.teamName,
      template: components.bugDescriptionTemplate,
      cc: sql<string>`(SELECT json_group_array(json_object('id', ${u.id}, 'login', ${u.login}))
        FROM component_cc c JOIN users u ON ${u.id} = ${c.userId}
        WHERE ${c.componentId} = ${components.id})`.as('cc'),
      revision: components.revision,
    })
    .from(components)
    .where(condition)
}

export type ComponentRow = Awaited<ReturnType<typeof selectComponents>>[number]

/** Parses a row of `selectComponents`. */
export function parseState(row: ComponentRow): ComponentState {
  const { typeId, qaContactId, triageOwnerId } = row
  return {
    ...pick(row, 'name', 'description', 'isActive', 'sortKey'),
    type: typeId === null ? null : { id: typeId, name: row.type },
    assignee: { id: row.assigneeId, login: row.assignee },
    qaContact: qaContactId === null ? null : { id: qaContactId, login: row.qaContact },
    triageOwner: triageOwnerId === null ? null : { id: triageOwnerId, login: row.triageOwner },
    teamName: row.teamName,
    template: row.template,
    cc: sortByLogin(JSON.parse(row.cc) as NamedPerson[]),
  }
}

/** Selects the people and the bug type that the values name. */
export function selectComponentReferences(input: ComponentInput) {
  const logins = [
    input.default_assignee,
    input.default_qa_contact,
    input.triage_owner,
    ...(input.default_cc ?? []),
  ].flatMap((login) => (login ? [fold(login.trim())] : []))
  return {
    people: db
      .select({ id: users.id, login: users.login, loginFold: users.loginFold })
      .from(users)
      .where(sql`${users.loginFold} IN ${jsonList(logins)}`),
    types: selectBugTypes(input.default_bug_type),
  }
}

/** Selects the bug type of that name, in either case. */
export function selectBugTypes(name: string | null | undefined) {
  return db
    .select({ id: fieldValues.id, name: fieldValues.name })
    .from(fieldValues)
    .where(sql`${fieldValues.fieldId} = (SELECT ${f.id} FROM fields f WHERE ${f.name} = 'bug_type')
      AND ${fieldValues.nameFold} = ${fold((name ?? '').trim())}`)
}

/** The columns that store a state. */
export function toColumns(state: ComponentState) {
  return {
    name: state.name,
    nameFold: fold(state.name),
    ...pick(state, 'description', 'isActive', 'sortKey'),
    defaultTypeId: state.type?.id ?? null,
    defaultAssigneeId: state.assignee.id,
    defaultQaContactId: state.qaContact?.id ?? null,
    triageOwnerId: state.triageOwner?.id ?? null,
    teamName: state.teamName,
    bugDescriptionTemplate: state.template,
  }
}

/** A state under the names of the API, for the record of changes and the audit log. */
export function presentState(state: ComponentState) {
  return {
    name: state.name,
    description: state.description,
    is_active: state.isActive,
    sort_key: state.sortKey,
    default_bug_type: state.type?.name ?? '',
    default_assignee: state.assignee.login,
    default_qa_contact: state.qaContact?.login ?? '',
    triage_owner: state.triageOwner?.login ?? '',
    team_name: state.teamName,
    bug_description_template: state.template,
    default_cc: state.cc.map(({ login }) => login).join(', '),
  }
}

export function sortByLogin(people: readonly NamedPerson[]): NamedPerson[] {
  return [...people].sort((a, b) => (a.login < b.login ? -1 : 1))
}

/** Inserts the default CC list of a component that has none. */
export function insertDefaultCc(componentId: SQL, { cc }: ComponentState): SQL {
  return sql`INSERT INTO ${componentCc} (${columnNames(componentCc.componentId, componentCc.userId)})
    SELECT ${componentId}, value FROM ${jsonList(cc.map(({ id }) => id))}`
}
