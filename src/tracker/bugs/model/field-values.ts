import { eq, type SQL } from 'drizzle-orm'
import type { Caller } from '../../../platform/access/caller.ts'
import { visibleBugCondition } from '../../../platform/access/visibility.ts'
import { jsonSelect } from '../../../platform/db/json-select.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fields, fieldValues, statusTransitions } from '../../../platform/db/schema/fields.ts'
import { groups } from '../../../platform/db/schema/groups.ts'
import { groupControls } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { userNotAllowedHere } from '../../users/faults.ts'
import { aliasInvalid, selectValueUnknown } from './faults.ts'

const f = aliasColumns(fields, 'f')
const v = aliasColumns(fieldValues, 'v')
const t = aliasColumns(statusTransitions, 't')
const g = aliasColumns(groups, 'g')
const c = aliasColumns(groupControls, 'c')

/** The select fields that a bug has exactly one value of, by their API names, with their internal ones. */
export const CHOICES = {
  type: 'bug_type',
  priority: 'priority',
  severity: 'bug_severity',
  platform: 'rep_platform',
  op_sys: 'op_sys',
} as const

export type Choice = keyof typeof CHOICES

export type LoadedValue = {
  readonly id: number
  readonly field: string
  readonly name: string
  readonly nameFold: string
  readonly isActive: boolean
}

export type Status = {
  readonly id: number
  readonly name: string
  readonly nameFold: string
  readonly sortKey: number
  readonly isOpen: boolean
  readonly isActive: boolean
  /** Whether a new bug may start here, and whether it then needs a description. */
  readonly isInitial: boolean
  readonly needsDescription: boolean
}

type NamedPerson = {
  readonly id: number
  readonly login: string
  readonly loginFold: string
}

export function selectValuesNamed(requested: readonly { field: string; name: string }[]) {
  const rows = requested.map(({ field, name }) => ({ field, name: fold(name.trim()) }))
  return valueList(sql`FROM ${jsonRows(rows)} JOIN fields f ON ${f.name} = r.value ->> 'field'
    JOIN field_values v ON ${v.fieldId} = ${f.id} AND ${v.nameFold} = r.value ->> 'name'`)
}

/** Reads every value of a select field, in order. */
export function selectChoices(field: string) {
  return valueList(
    sql`FROM fields f JOIN field_values v ON ${v.fieldId} = ${f.id} WHERE ${f.name} = ${field}`,
    IN_ORDER,
  )
}

const IN_ORDER = sql`${v.sortKey}, ${v.nameFold}`

const valueList = jsonSelect({
  id: sql<number>`${v.id}`,
  field: sql<string>`${f.name}`,
  name: sql<string>`${v.name}`,
  nameFold: sql<string>`${v.nameFold}`,
  isActive: sql`${v.isActive}`.mapWith(Boolean),
})

/** Reads the statuses of the workflow, in their order. */
export function selectStatuses() {
  return statusList(STATUSES, IN_ORDER)
}

const STATUSES = sql`FROM field_values v
  WHERE ${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = 'bug_status')`

const START = sql`SELECT 1 FROM status_transitions t WHERE ${t.fromId} IS NULL AND ${t.toId} = ${v.id}`

const statusList = jsonSelect({
  id: sql<number>`${v.id}`,
  name: sql<string>`${v.name}`,
  nameFold: sql<string>`${v.nameFold}`,
  sortKey: sql<number>`${v.sortKey}`,
  isActive: sql`${v.isActive}`.mapWith(Boolean),
  isOpen: sql`coalesce(${v.isOpen}, 0)`.mapWith(Boolean),
  isInitial: sql`EXISTS (${START})`.mapWith(Boolean),
  needsDescription: sql`EXISTS (${START} AND ${t.commentRequired} = 1)`.mapWith(Boolean),
})

/** People by folded login: a request may name thousands, for many bugs. */
export type PeopleByLogin = ReadonlyMap<string, NamedPerson>

export function indexPeople(people: readonly NamedPerson[] = []): PeopleByLogin {
  return new Map(people.map((person) => [person.loginFold, person]))
}

export function selectPeopleByLogin(logins: readonly string[]) {
  return db
    .select({ id: users.id, login: users.login, loginFold: users.loginFold })
    .from(users)
    .where(sql`${users.loginFold} IN ${jsonList(logins.map((login) => fold(login.trim())))}`)
}

/** Reads the bug that has an alias, and whether the caller may know which one that is. */
export function selectBugsWithAlias(caller: Caller, alias: string) {
  return db
    .select({
      id: bugs.id,
      isVisible: sql<boolean>`${visibleBugCondition(caller)}`.mapWith(Boolean).as('is_visible'),
    })
    .from(bugs)
    .where(eq(bugs.aliasFold, fold(alias.trim())))
}

/** Reads the group controls of the products whose IDs `productIds`, a select in brackets, returns. */
export function selectGroupControls(productIds: SQL) {
  return controlList(sql`FROM group_controls c JOIN access_groups g ON ${g.id} = ${c.groupId}
    WHERE ${c.productId} IN ${productIds}`)
}

const controlList = jsonSelect({
  productId: sql<number>`${c.productId}`,
  groupId: sql<number>`${c.groupId}`,
  name: sql<string>`${g.name}`,
  nameFold: sql<string>`${g.nameFold}`,
  isActive: sql`${g.isActive}`.mapWith(Boolean),
  isBugGroup: sql`${g.isBugGroup}`.mapWith(Boolean),
  memberControl: sql<number>`${c.memberControl}`,
  otherControl: sql<number>`${c.otherControl}`,
  editBugs: sql`${c.editBugs}`.mapWith(Boolean),
  canConfirm: sql`${c.canConfirm}`.mapWith(Boolean),
})

/**
 * The value that a caller chose for a select field. The bug may keep its present value, `current`, though it
 * is inactive.
 */
export function requireChoice(
  values: readonly LoadedValue[] | undefined,
  choice: Choice,
  given: string,
  current?: string,
): LoadedValue {
  if (given.trim() === '') {
    throw fault(valueBlank, { field: choice })
  }
  const value = valueNamed(values, choice, given)
  if (value === undefined || !(value.isActive || value.name === current)) {
    throw fault(selectValueUnknown, { field: choice, value: given })
  }
  return value
}

/** The default value of a select field, which may have been removed. */
export function requireDefault(
  values: readonly LoadedValue[],
  choice: Choice,
  name: string,
): LoadedValue {
  const value = valueNamed(values, choice, name)
  if (value === undefined) {
    throw fault(valueBlank, { field: choice })
  }
  return value
}

function valueNamed(
  values: readonly LoadedValue[] | undefined,
  choice: Choice,
  given: string,
): LoadedValue | undefined {
  const name = fold(given.trim())
  return values?.find((one) => one.field === CHOICES[choice] && one.nameFold === name)
}

/** The person with a login, who has to exist. */
export function requirePerson(people: PeopleByLogin, field: string, login: string): NamedPerson {
  const person = people.get(fold(login.trim()))
  if (person === undefined) {
    throw fault(userNotAllowedHere, { field, login })
  }
  return person
}

/** Refuses an alias that another bug has. */
export function assertAliasFree(
  alias: string,
  holders: readonly { id: number; isVisible: boolean }[] | undefined,
  own?: number,
): void {
  const other = holders?.find(({ id }) => id !== own)
  if (other !== undefined) {
    const which = other.isVisible ? `bug ${other.id}` : 'another bug'
    throw fault(aliasInvalid, { alias, reason: `is taken by ${which}` })
  }
}
